// Arduino's String: text that grows as needed. Positions out of range are harmless, as they are on a board.
#pragma once

#include <cstdlib>
#include <string>

class String {
 public:
  String(const char *text = "") : text_(text == nullptr ? "" : text) {}
  explicit String(char character) : text_(1, character) {}
  explicit String(int value, unsigned char base = 10) : String(static_cast<long>(value), base) {}
  explicit String(unsigned int value, unsigned char base = 10) : String(static_cast<unsigned long>(value), base) {}
  explicit String(long value, unsigned char base = 10);
  explicit String(unsigned long value, unsigned char base = 10);
  explicit String(float value, unsigned char decimals = 2) : String(static_cast<double>(value), decimals) {}
  explicit String(double value, unsigned char decimals = 2);

  unsigned int length() const { return static_cast<unsigned int>(text_.size()); }
  bool isEmpty() const { return text_.empty(); }
  bool reserve(unsigned int size) { text_.reserve(size); return true; }
  const char *c_str() const { return text_.c_str(); }

  char charAt(unsigned int at) const { return at < length() ? text_[at] : '\0'; }
  void setCharAt(unsigned int at, char character) { if (at < length()) text_[at] = character; }
  char operator[](unsigned int at) const { return charAt(at); }
  char &operator[](unsigned int at);

  bool concat(const String &other) { text_ += other.text_; return true; }
  String &operator+=(const String &other) { concat(other); return *this; }
  String &operator+=(const char *other) { return *this += String(other); }
  String &operator+=(char other) { text_ += other; return *this; }
  String &operator+=(int other) { return *this += String(other); }
  String &operator+=(unsigned int other) { return *this += String(other); }
  String &operator+=(long other) { return *this += String(other); }
  String &operator+=(unsigned long other) { return *this += String(other); }
  String &operator+=(float other) { return *this += String(other); }
  String &operator+=(double other) { return *this += String(other); }

  template <typename T>
  friend String operator+(String left, const T &right) { return left += right; }
  friend String operator+(const char *left, const String &right) { return String(left) += right; }

  bool equals(const String &other) const { return text_ == other.text_; }
  bool equalsIgnoreCase(const String &other) const;
  int compareTo(const String &other) const { return text_.compare(other.text_); }
  bool operator==(const String &other) const { return equals(other); }
  bool operator==(const char *other) const { return equals(String(other)); }
  bool operator!=(const String &other) const { return !equals(other); }
  bool operator!=(const char *other) const { return !equals(String(other)); }
  bool operator<(const String &other) const { return text_ < other.text_; }
  bool operator>(const String &other) const { return text_ > other.text_; }
  bool startsWith(const String &start) const { return text_.compare(0, start.length(), start.text_) == 0; }
  bool endsWith(const String &end) const;

  int indexOf(char character, unsigned int from = 0) const { return position(text_.find(character, from)); }
  int indexOf(const String &other, unsigned int from = 0) const { return position(text_.find(other.text_, from)); }
  int lastIndexOf(char character) const { return position(text_.rfind(character)); }
  int lastIndexOf(const String &other) const { return position(text_.rfind(other.text_)); }
  String substring(unsigned int from) const { return substring(from, length()); }
  String substring(unsigned int from, unsigned int to) const;

  void replace(char from, char to);
  void replace(const String &from, const String &to);
  void remove(unsigned int from) { remove(from, length()); }
  void remove(unsigned int from, unsigned int count) { if (from < length()) text_.erase(from, count); }
  void toLowerCase();
  void toUpperCase();
  void trim();

  long toInt() const { return std::strtol(c_str(), nullptr, 10); }
  float toFloat() const { return std::strtof(c_str(), nullptr); }
  double toDouble() const { return std::strtod(c_str(), nullptr); }

 private:
  static int position(size_t found) { return found == std::string::npos ? -1 : static_cast<int>(found); }

  std::string text_;
};
