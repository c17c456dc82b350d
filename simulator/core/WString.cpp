#include "WString.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

String::String(unsigned long value, unsigned char base) {
  do {
    text_.insert(text_.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[value % base]);
    value /= base;
  } while (value != 0);
}

String::String(long value, unsigned char base)
    : String(value < 0 ? 0UL - static_cast<unsigned long>(value) : static_cast<unsigned long>(value), base) {
  if (value < 0) {
    text_.insert(text_.begin(), '-');
  }
}

String::String(double value, unsigned char decimals) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  text_ = buffer;
}

char &String::operator[](unsigned int at) {
  static char nowhere;
  nowhere = '\0';
  return at < length() ? text_[at] : nowhere;
}

bool String::equalsIgnoreCase(const String &other) const {
  String left(*this), right(other);
  left.toLowerCase();
  right.toLowerCase();
  return left == right;
}

bool String::endsWith(const String &end) const {
  return length() >= end.length() && text_.compare(length() - end.length(), end.length(), end.text_) == 0;
}

String String::substring(unsigned int from, unsigned int to) const {
  if (from > to) {
    std::swap(from, to);
  }
  from = std::min(from, length());
  to = std::min(to, length());
  String part;
  part.text_ = text_.substr(from, to - from);
  return part;
}

void String::replace(char from, char to) { std::replace(text_.begin(), text_.end(), from, to); }

void String::replace(const String &from, const String &to) {
  if (from.isEmpty()) {
    return;
  }
  for (size_t at = text_.find(from.text_); at != std::string::npos; at = text_.find(from.text_, at + to.length())) {
    text_.replace(at, from.length(), to.text_);
  }
}

void String::toLowerCase() {
  for (char &character : text_) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
}

void String::toUpperCase() {
  for (char &character : text_) {
    character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  }
}

void String::trim() {
  const char *spaces = " \t\n\v\f\r";
  text_.erase(0, text_.find_first_not_of(spaces));
  text_.erase(text_.find_last_not_of(spaces) + 1);
}
