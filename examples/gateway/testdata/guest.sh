#!/bin/sh
# Fetches Debian's kernel, which is not installed, and makes of it a guest for QEMU whose
# files are those of this machine, read-only: what TestDPDKOnCards runs the gateway in, on
# emulated network cards. Prints the folder where kernel and initrd lie. A second call prints
# it at once.
#
#   guest.sh              makes it, unless it is there
#   guest.sh -built       fails if it is not there
#
# It lies in ~/.cache/sealburst/guest, or below XDG_CACHE_HOME: 9 MB, of a package of 70 MB.
# Debian on amd64; needs busybox-static, apt and dpkg-deb, but not root.
set -eu
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sealburst/guest
if [ -e "$folder/initrd" ]; then
	echo "$folder"
	exit 0
fi
[ "${1:-}" != -built ] || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
(cd "$work" && apt-get -q download "$package" >log 2>&1) || { cat "$work/log" >&2; exit 1; }
dpkg-deb -x "$work/$package"_*.deb "$work/all"
release=${package#linux-image-}
root=$work/root
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/files" "$root/changes" "$root/root" "$root/lib/modules/$release" "$folder"

# What finds the files of this machine, and what gives cards to DPDK.
boot="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci 9pnet 9pnet_virtio netfs fscache 9p overlay"
for module in $boot uio uio_pci_generic irqbypass vfio vfio_virqfd vfio_iommu_type1 vfio-pci-core vfio-pci; do
	find "$work/all/lib/modules/$release" -name "$module.ko" -exec cp {} "$root/lib/modules/$release/" \;
done
busybox depmod -b "$root" "$release"
# Busybox does not read from a module which others come with it. It loads from the right to the left.
sed -i 's/^\(.*vfio-pci\.ko:\)/\1 vfio_iommu_type1.ko/' "$root/lib/modules/$release/modules.dep"
cp "$(command -v busybox)" "$root/bin/busybox"
cat >"$root/init" <<EOF
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc && mount -t sysfs none /sys && mount -t devtmpfs none /dev
for module in $boot; do insmod /lib/modules/$release/\$module.ko; done
EOF
cat >>"$root/init" <<'EOF'
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose files /files
mount -t tmpfs none /changes && mkdir /changes/files /changes/work
mount -t overlay -o lowerdir=/files,upperdir=/changes/files,workdir=/changes/work none /root
for d in proc sys dev; do mount --move /$d /root/$d; done
mkdir -p /root/lib/modules /root/usr/local/sbin /root/guest
cp -r /lib/modules/* /root/lib/modules/
cp /bin/busybox /root/usr/local/sbin/modprobe
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 guest /root/guest
PATH=/usr/local/sbin:/usr/sbin:/usr/bin chroot /root /bin/sh /guest/begin
poweroff -f
EOF
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -9) >"$work/initrd"
cp "$work/all/boot/vmlinuz-$release" "$folder/kernel"
cp "$work/initrd" "$folder/initrd.new"
mv "$folder/initrd.new" "$folder/initrd"
echo "$folder"
