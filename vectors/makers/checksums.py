"""CRC-32C and XXH32, from their specifications: slow, short and nobody else's."""


def _crc32c_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def crc32c(content: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in content:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


_MASK = 0xFFFFFFFF
_P1, _P2, _P3, _P4, _P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393


def _rotate(number: int, bits: int) -> int:
    return ((number << bits) | (number >> (32 - bits))) & _MASK


def xxh32(content: bytes) -> int:
    """With seed 0, as LZ4 frames use it."""
    position = 0
    if len(content) >= 16:
        lanes = [(_P1 + _P2) & _MASK, _P2, 0, -_P1 & _MASK]
        while position + 16 <= len(content):
            for lane in range(4):
                word = int.from_bytes(content[position : position + 4], "little")
                lanes[lane] = _rotate((lanes[lane] + word * _P2) & _MASK, 13) * _P1 & _MASK
                position += 4
        state = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & _MASK
    else:
        state = _P5
    state = (state + len(content)) & _MASK
    while position + 4 <= len(content):
        word = int.from_bytes(content[position : position + 4], "little")
        state = _rotate((state + word * _P3) & _MASK, 17) * _P4 & _MASK
        position += 4
    for byte in content[position:]:
        state = _rotate((state + byte * _P5) & _MASK, 11) * _P1 & _MASK
    state = (state ^ (state >> 15)) * _P2 & _MASK
    state = (state ^ (state >> 13)) * _P3 & _MASK
    return state ^ (state >> 16)
