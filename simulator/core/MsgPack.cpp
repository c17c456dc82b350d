#include "MsgPack.h"

#include <cstring>

namespace msgpack {

void Packer::number(unsigned mark, uint64_t value, int size) {
  byte(mark);
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    byte((value >> shift) & 0xff);
  }
}

void Packer::array(size_t size) {
  if (size < 16) {
    byte(0x90 | static_cast<unsigned>(size));
  } else {
    number(0xdd, size, 4);
  }
}

void Packer::positive(uint64_t value) {
  if (value < 128) {
    byte(static_cast<unsigned>(value));
  } else if (value <= UINT8_MAX) {
    number(0xcc, value, 1);
  } else if (value <= UINT16_MAX) {
    number(0xcd, value, 2);
  } else if (value <= UINT32_MAX) {
    number(0xce, value, 4);
  } else {
    number(0xcf, value, 8);
  }
}

void Packer::negative(int64_t value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  if (value >= -32) {
    byte(bits & 0xff);
  } else if (value >= INT8_MIN) {
    number(0xd0, bits, 1);
  } else if (value >= INT16_MIN) {
    number(0xd1, bits, 2);
  } else if (value >= INT32_MIN) {
    number(0xd2, bits, 4);
  } else {
    number(0xd3, bits, 8);
  }
}

void Packer::pack(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  number(0xcb, bits, 8);
}

void Packer::pack(const String &value) {
  const size_t size = value.length();
  if (size < 32) {
    byte(0xa0 | static_cast<unsigned>(size));
  } else if (size <= UINT8_MAX) {
    number(0xd9, size, 1);
  } else {
    number(0xdb, size, 4);
  }
  bytes_.append(value.c_str(), size);
}

// The big-endian number after the mark at this position. Where the bytes end too early it is cut short; the frames
// come from our own router, which sends whole ones.
uint64_t Unpacker::number(int size) {
  uint64_t value = 0;
  at_++;
  for (; size > 0 && has(1); size--) {
    value = value << 8 | static_cast<unsigned char>(bytes_[at_++]);
  }
  return value;
}

bool Unpacker::nil() {
  if (peek() != 0xc0) {
    return false;
  }
  at_++;
  return true;
}

bool Unpacker::array(size_t &size) {
  const unsigned mark = peek();
  if (mark >= 0x90 && mark <= 0x9f) {
    at_++;
    size = mark & 0x0f;
  } else if (mark == 0xdc || mark == 0xdd) {
    size = number(mark == 0xdc ? 2 : 4);
  } else {
    return false;
  }
  return true;
}

bool Unpacker::read(bool &value) {
  const unsigned mark = peek();
  if (mark != 0xc2 && mark != 0xc3) {
    return false;
  }
  at_++;
  value = mark == 0xc3;
  return true;
}

bool Unpacker::read(double &value) {
  const unsigned mark = peek();
  if (mark == 0xca) {
    const uint32_t bits = static_cast<uint32_t>(number(4));
    float narrow = 0;
    std::memcpy(&narrow, &bits, sizeof narrow);
    value = narrow;
  } else if (mark == 0xcb) {
    const uint64_t bits = number(8);
    std::memcpy(&value, &bits, sizeof value);
  } else {
    return false;
  }
  return true;
}

bool Unpacker::read(float &value) {
  double wide = 0;
  if (!read(wide)) {
    return false;
  }
  value = static_cast<float>(wide);
  return true;
}

bool Unpacker::read(String &value) {
  const unsigned mark = peek();
  const size_t start = at_;
  size_t size = 0;
  if (mark >= 0xa0 && mark <= 0xbf) {
    at_++;
    size = mark & 0x1f;
  } else if (mark >= 0xd9 && mark <= 0xdb) {
    size = number(1 << (mark - 0xd9));
  } else {
    return false;
  }
  if (!has(size)) {
    at_ = start;
    return false;
  }
  value = String(bytes_.substr(at_, size).c_str());
  at_ += size;
  return true;
}

bool Unpacker::integer(bool &isNegative, uint64_t &value) {
  const unsigned mark = peek();
  if (mark < 0x80) {
    at_++;
    value = mark;
  } else if (mark >= 0xe0) {
    at_++;
    isNegative = true;
    value = static_cast<uint64_t>(static_cast<int8_t>(mark));
  } else if (mark >= 0xcc && mark <= 0xcf) {
    value = number(1 << (mark - 0xcc));
  } else if (mark >= 0xd0 && mark <= 0xd3) {
    const int size = 1 << (mark - 0xd0);
    const int unused = 64 - 8 * size;
    const int64_t extended = static_cast<int64_t>(number(size) << unused) >> unused;
    isNegative = extended < 0;
    value = static_cast<uint64_t>(extended);
  } else {
    return false;
  }
  return true;
}

}  // namespace msgpack
