#!/bin/sh
# Makes openssl.txt, with OpenSSL 3.0 or later: sh openssl.sh > openssl.txt
# Columns: derivation, hash, secret, label (a space is written _), context or seed
# (- is none), output.
set -eu

secret() { # BYTES
	i=0
	while [ "$i" -lt "$1" ]; do
		printf %02x $((i * 7 + $1 & 255))
		i=$((i + 1))
	done
}

hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

row() { # DERIVATION HASH SECRET LABEL CONTEXT, output on standard input
	echo "$1 $2 $3 $(echo "$4" | tr ' ' _) ${5:--} $(tr -d ':\n' | tr A-F a-f)"
}

expand() { # HASH PREFIX LABEL CONTEXT BYTES
	key=$(secret 32)
	[ "$1" = SHA256 ] || key=$(secret 48)
	openssl kdf -keylen "$5" -kdfopt mode:EXPAND_ONLY -kdfopt digest:"$1" -kdfopt hexkey:"$key" \
		-kdfopt prefix:"$2" -kdfopt label:"$3" ${4:+-kdfopt hexdata:$4} TLS13-KDF |
		row "$(echo "$2" | tr -d ' ')" "$1" "$key" "$3" "$4"
}

prf() { # HASH LABEL SEED BYTES
	key=$(secret 48)
	openssl kdf -keylen "$4" -kdfopt digest:"$1" -kdfopt hexsecret:"$key" \
		-kdfopt hexseed:"$(hex "$2")$3" TLS1-PRF |
		row prf "$1" "$key" "$2" "$3"
}

prfplus() { # HASH SEED BYTES: with HMAC, prf+ is the expansion of HKDF
	key=$(secret 20)
	openssl kdf -keylen "$3" -kdfopt mode:EXPAND_ONLY -kdfopt digest:"$1" -kdfopt hexkey:"$key" \
		-kdfopt hexinfo:"$2" HKDF | row prf+ "$1" "$key" none "$2"
}

for hash in SHA256 SHA384; do
	for prefix in 'tls13 ' dtls13; do
		expand $hash "$prefix" key '' 16
		expand $hash "$prefix" key '' 32
		expand $hash "$prefix" iv '' 12
		expand $hash "$prefix" 'c ap traffic' "$(secret 32)" 48
	done
	expand $hash dtls13 sn '' 16
	expand $hash dtls13 sn '' 32
	expand $hash dtls13 'traffic upd' '' "$([ $hash = SHA256 ] && echo 32 || echo 48)"
	prf $hash 'key expansion' "$(secret 64)" 40
	prf $hash 'master secret' "$(secret 63)" 48
	prf $hash label aa 200
done
for hash in SHA1 SHA256 SHA384 SHA512; do
	prfplus $hash "$(secret 48)" 16
	prfplus $hash "$(secret 48)" 333
done
