// The part of the Arduino API that sketches of this kind use, for a sketch that runs as a program on a laptop.
// Names, signatures and types are those of the real core, so that what compiles here compiles for the board.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "WString.h"

typedef uint8_t byte;
typedef bool boolean;
typedef uint8_t pin_size_t;

enum PinStatus { LOW = 0, HIGH = 1 };
enum PinMode { INPUT = 0, OUTPUT = 1, INPUT_PULLUP = 2, INPUT_PULLDOWN = 3 };

const pin_size_t A0 = 14, A1 = 15, A2 = 16, A3 = 17, A4 = 18, A5 = 19;
const pin_size_t LED_BUILTIN = 100;  // no pin of the headers; the number differs between cores

void pinMode(pin_size_t pin, PinMode mode);
void digitalWrite(pin_size_t pin, PinStatus status);
PinStatus digitalRead(pin_size_t pin);
int analogRead(pin_size_t pin);
void analogWrite(pin_size_t pin, int value);

inline void pinMode(pin_size_t pin, int mode) { pinMode(pin, static_cast<PinMode>(mode)); }
inline void digitalWrite(pin_size_t pin, int status) { digitalWrite(pin, status ? HIGH : LOW); }

unsigned long millis();
unsigned long micros();
void delay(unsigned long ms);

void setup();
void loop();
