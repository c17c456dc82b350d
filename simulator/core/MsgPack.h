// MessagePack, as much of it as the Bridge needs: what a handler takes and returns, and the frame around it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "WString.h"

namespace msgpack {

class Packer {
 public:
  const std::string &bytes() const { return bytes_; }

  void nil() { byte(0xc0); }
  void array(size_t size);
  void pack(bool value) { byte(value ? 0xc3 : 0xc2); }
  void pack(float value) { pack(static_cast<double>(value)); }
  void pack(double value);
  void pack(const char *value) { pack(String(value)); }
  void pack(const String &value);

  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void pack(T value) {
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) {
        return negative(value);
      }
    }
    positive(static_cast<uint64_t>(value));
  }

  template <typename T>
  void pack(const std::vector<T> &values) {
    array(values.size());
    for (const T &value : values) {
      pack(value);
    }
  }

 private:
  void byte(unsigned value) { bytes_ += static_cast<char>(value); }
  void number(unsigned mark, uint64_t value, int size);
  void positive(uint64_t value);
  void negative(int64_t value);

  std::string bytes_;
};

// Reads one value after the other; each `read` returns false, and reads nothing, when another type comes next.
class Unpacker {
 public:
  explicit Unpacker(const std::string &bytes) : bytes_(bytes) {}

  std::string rest() const { return bytes_.substr(at_); }

  bool nil();
  bool array(size_t &size);
  bool read(bool &value);
  bool read(float &value);
  bool read(double &value);
  bool read(String &value);

  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  bool read(T &value) {
    const size_t start = at_;
    bool isNegative = false;
    uint64_t number = 0;
    if (!integer(isNegative, number)) {
      return false;
    }
    const bool fits = isNegative ? std::is_signed_v<T> && static_cast<int64_t>(number) >= lowest<T>()
                                 : number <= static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (!fits) {
      at_ = start;
      return false;
    }
    value = static_cast<T>(number);
    return true;
  }

  template <typename T>
  bool read(std::vector<T> &values) {
    const size_t start = at_;
    size_t size = 0;
    if (!array(size)) {
      return false;
    }
    values.clear();
    while (values.size() < size) {
      T value{};
      if (!read(value)) {
        at_ = start;
        return false;
      }
      values.push_back(value);
    }
    return true;
  }

 private:
  template <typename T>
  static int64_t lowest() { return static_cast<int64_t>(std::numeric_limits<T>::min()); }

  unsigned peek() const { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0xc1; }
  bool has(size_t size) const { return bytes_.size() - at_ >= size; }
  uint64_t number(int size);
  bool integer(bool &isNegative, uint64_t &number);

  const std::string &bytes_;
  size_t at_ = 0;
};

}  // namespace msgpack
