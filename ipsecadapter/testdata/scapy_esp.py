"""Seals and opens ESP and AH packets with scapy, one JSON task a line from standard input.

A task has op, protocol, algorithm and key (with salt) of the cipher, icv of an AEAD, auth
and auth_key (with salt) of the integrity algorithm, spi, seq, esn (the high half, or
null), tunnel (two addresses, or null), natt and packet. Byte strings are hexadecimal. The
answer is a line with the packet, or with error.
"""
import json
import os
import struct
import sys
import warnings

warnings.filterwarnings("ignore")

from scapy.config import conf  # noqa: E402

conf.route_autoload = conf.route6_autoload = False

from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from cryptography.hazmat.primitives.ciphers import aead, algorithms, modes  # noqa: E402
from scapy.layers.ipsec import (  # noqa: E402
    AH, AUTH_ALGOS, CRYPT_ALGOS, ESP, AuthAlgo, CryptAlgo, IPSecIntegrityError, SecurityAssociation, _ESPPlain,
    zero_mutable_fields)


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
CRYPT_ALGOS["CCM with implicit IV"] = CryptAlgo(
    "AES-CCM", cipher=aead.AESCCM, mode=None, key_size=(16, 24, 32), block_size=1, iv_size=0,
    salt_size=3, icv_size=8, format_mode_iv=implicit)
CRYPT_ALGOS["GMAC"] = GMAC("AES-NULL-GMAC", iv_size=8, **AES)
CRYPT_ALGOS["ChaCha20 with implicit IV"] = CryptAlgo(
    "CHACHA20-POLY1305", cipher=aead.ChaCha20Poly1305, mode=None, key_size=32, block_size=1, iv_size=0,
    salt_size=4, icv_size=16, format_mode_iv=implicit)


class WithHighHalf(AuthAlgo):
    """An HMAC of ESP that covers the high half of extended numbers, which scapy 2.5 leaves out."""

    def __init__(self, algo, esn):
        super().__init__(algo.name, algo.mac, algo.digestmod, algo.icv_size, algo.key_size)
        self.high = struct.pack("!L", esn)

    def icv(self, covered, key):
        mac = self.new_mac(key)
        mac.update(covered + self.high)
        return mac.finalize()[:self.icv_size]

    def sign(self, pkt, key, esn_en=False, esn=0):
        pkt[ESP].data += self.icv(bytes(pkt[ESP]), key)
        return pkt

    def verify(self, pkt, key, esn_en=False, esn=0):
        whole = bytes(pkt)
        if self.icv(whole[:-self.icv_size], key) != whole[-self.icv_size:]:
            raise IPSecIntegrityError("HMAC with high half")


class GMACOfAH(AuthAlgo):
    """RFC 4543 section 4, which scapy 2.5 lacks, in scapy's terms: the ICV is IV and tag."""

    def tag(self, pkt, key, iv, esn_en, esn, sending):
        covered = bytes(zero_mutable_fields(pkt.copy(), sending=sending))
        if esn_en:
            covered += struct.pack("!L", esn)
        return iv + aead.AESGCM(key[:-4]).encrypt(key[-4:] + iv, b"", covered)

    def sign(self, pkt, key, esn_en=False, esn=0):
        pkt[AH].icv = self.tag(pkt, key, os.urandom(8), esn_en, esn, True)
        return pkt

    def verify(self, pkt, key, esn_en=False, esn=0):
        pkt[AH].padding, pkt[AH].icv = pkt[AH].icv[24:], pkt[AH].icv[:24]
        if self.tag(pkt, key, pkt[AH].icv[:8], esn_en, esn, False) != pkt[AH].icv:
            raise IPSecIntegrityError("GMAC of AH")


AUTH_ALGOS["GMAC"] = GMACOfAH("AES-GMAC", mac=GMACOfAH, digestmod=None, icv_size=24)


def parse(packet):
    return IPv6(packet) if packet[0] >> 4 == 6 else IP(packet)


def header(tunnel):
    if tunnel is None:
        return None
    kind = IPv6 if ":" in tunnel[0] else IP
    return kind(src=tunnel[0], dst=tunnel[1])


def association(task):
    esn = task["esn"]
    sa = SecurityAssociation(
        AH if task["protocol"] == "AH" else ESP, spi=task["spi"],
        crypt_algo=task["algorithm"] or None, crypt_key=bytes.fromhex(task["key"]), crypt_icv_size=task["icv"] or None,
        auth_algo=task["auth"] or None, auth_key=bytes.fromhex(task["auth_key"]),
        seq_num=task["seq"], tunnel_header=header(task["tunnel"]),
        nat_t_header=UDP(sport=4500, dport=4500) if task["natt"] else None,
        esn_en=esn is not None, esn=esn or 0)
    if task["protocol"] == "ESP" and task["auth"] and esn is not None:
        sa.auth_algo = WithHighHalf(sa.auth_algo, esn)
    return sa


def run(task):
    sa = association(task)
    packet = parse(bytes.fromhex(task["packet"]))
    result = sa.encrypt(packet) if task["op"] == "seal" else sa.decrypt(packet)
    return bytes(result).hex()


for line in sys.stdin:
    try:
        answer = {"packet": run(json.loads(line))}
    except Exception as e:
        answer = {"error": repr(e)}
    print(json.dumps(answer), flush=True)
