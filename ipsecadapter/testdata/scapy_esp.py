"""Seals and opens ESP packets with scapy, one JSON task a line from standard input.

A task has op, algorithm, key (with salt), icv, spi, seq, esn (the high half, or null),
tunnel (two addresses, or null), natt and packet. Byte strings are hexadecimal. The answer
is a line with the packet, or with error.
"""
import json
import struct
import sys
import warnings

warnings.filterwarnings("ignore")

from scapy.config import conf  # noqa: E402

conf.route_autoload = conf.route6_autoload = False

from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from cryptography.hazmat.primitives.ciphers import aead, algorithms, modes  # noqa: E402
from scapy.layers.ipsec import CRYPT_ALGOS, ESP, CryptAlgo, IPSecIntegrityError, SecurityAssociation, _ESPPlain  # noqa: E402


def implicit(sa, iv, **_):
    """The nonce of RFC 8750: the IV is the sequence number."""
    return sa.crypt_salt + struct.pack("!LL", sa.esn if sa.esn_en else 0, sa.seq_num)


def explicit(sa, iv, **_):
    return sa.crypt_salt + iv


class GMAC(CryptAlgo):
    """RFC 4543, which scapy 2.5 lacks, in scapy's terms."""

    def seal(self, sa, iv, key, esn_en, esn, esp, body):
        head = struct.pack("!LLL", esp.spi, esn, esp.seq) if esn_en else struct.pack("!LL", esp.spi, esp.seq)
        return aead.AESGCM(key).encrypt(sa.crypt_salt + iv, b"", head + iv + body)

    def encrypt(self, sa, esp, key, icv_size=None, esn_en=False, esn=0):
        body = esp.data_for_encryption()
        icv = self.seal(sa, esp.iv, key, esn_en, esn, esp, body)
        return ESP(spi=esp.spi, seq=esp.seq, data=esp.iv + body + icv)

    def decrypt(self, sa, esp, key, icv_size=None, esn_en=False, esn=0):
        iv, body, icv = esp.data[:8], esp.data[8:-16], esp.data[-16:]
        if self.seal(sa, iv, key, esn_en, esn, esp, body) != icv:
            raise IPSecIntegrityError("GMAC")
        padlen, nh = body[-2], body[-1]
        return _ESPPlain(spi=esp.spi, seq=esp.seq, iv=iv, data=body[:len(body) - padlen - 2], padlen=padlen, nh=nh, icv=icv)


AES = {"cipher": algorithms.AES, "mode": modes.GCM, "salt_size": 4, "block_size": 1, "icv_size": 16, "key_size": (16, 24, 32)}
CRYPT_ALGOS["GCM with short tags"] = CryptAlgo("AES-GCM", iv_size=8, format_mode_iv=explicit, **AES)
CRYPT_ALGOS["GCM with implicit IV"] = CryptAlgo("AES-GCM", iv_size=0, format_mode_iv=implicit, **AES)
CRYPT_ALGOS["GMAC"] = GMAC("AES-NULL-GMAC", iv_size=8, **AES)
CRYPT_ALGOS["ChaCha20 with implicit IV"] = CryptAlgo(
    "CHACHA20-POLY1305", cipher=aead.ChaCha20Poly1305, mode=None, key_size=32, block_size=1, iv_size=0,
    salt_size=4, icv_size=16, format_mode_iv=implicit)


def parse(packet):
    return IPv6(packet) if packet[0] >> 4 == 6 else IP(packet)


def header(tunnel):
    if tunnel is None:
        return None
    kind = IPv6 if ":" in tunnel[0] else IP
    return kind(src=tunnel[0], dst=tunnel[1])


def run(task):
    sa = SecurityAssociation(
        ESP, spi=task["spi"], crypt_algo=task["algorithm"], crypt_key=bytes.fromhex(task["key"]),
        crypt_icv_size=task["icv"], seq_num=task["seq"], tunnel_header=header(task["tunnel"]),
        nat_t_header=UDP(sport=4500, dport=4500) if task["natt"] else None,
        esn_en=task["esn"] is not None, esn=task["esn"] or 0)
    packet = parse(bytes.fromhex(task["packet"]))
    result = sa.encrypt(packet) if task["op"] == "seal" else sa.decrypt(packet)
    return bytes(result).hex()


for line in sys.stdin:
    try:
        answer = {"packet": run(json.loads(line))}
    except Exception as e:
        answer = {"error": repr(e)}
    print(json.dumps(answer), flush=True)
