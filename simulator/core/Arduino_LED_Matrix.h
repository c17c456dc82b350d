// The LED matrix: 8 rows of 13 LEDs, row by row from the top left.
#pragma once

#include "Arduino.h"

class Arduino_LED_Matrix {
 public:
  int begin();
  void end();
  void clear();

  // How many bits of grey a pixel given to draw() has: 3 for 0 to 7, 8 (as long as nothing is set) for 0 to 255.
  void setGrayscaleBits(uint8_t bits);
  void draw(uint8_t *frame);
};

typedef Arduino_LED_Matrix ArduinoLEDMatrix;
