// Board Agent, the microcontroller's side: four functions that the Linux side calls through the Bridge.
//
//   set_builtin_led(bool)   light the LED or turn it off; returns whether it is lit
//   set_led_matrix(String)  show a picture by name; false for a name that is not in patterns.h
//   all_off()               the safe state: LED off, matrix off; returns true
//   get_board_state()       105 characters: "1" or "0" for the LED, then the 104 pixels from the top left,
//                           row by row, each "0" (dark) to "7" (bright)
//
// New to C++? `setup()` runs once, then `loop()` again and again. A line that starts with `const` names a value that
// never changes. `bool` is true or false, `String` is text.

#include <Arduino_LED_Matrix.h>
#include <Arduino_RouterBridge.h>

#include "patterns.h"

// The LED is wired the other way round: LOW lights it.
const PinStatus LED_LIT = LOW;
const PinStatus LED_DARK = HIGH;

const uint8_t BRIGHT = 7;  // 3 bits of grey: 0 is dark, 7 as bright as it gets
const unsigned long RETRY_MS = 1000;

// How the matrix sits on the board. To check it, ask for a check mark: its short arm must be on the left and its
// corner at the bottom. If the corner is at the top, change UPSIDE_DOWN; if the short arm is on the right, change
// BACK_TO_FRONT; for a board turned half round, change both.
const bool UPSIDE_DOWN = false;
const bool BACK_TO_FRONT = false;

Arduino_LED_Matrix matrix;

uint8_t picture[ROWS * COLUMNS];  // as a person sees it, row 0 at the top
bool ledIsLit = false;

void setup() {
  // The safe state comes first: Bridge.begin() may wait until the Linux side is up.
  pinMode(LED_BUILTIN, OUTPUT);
  matrix.begin();
  matrix.setGrayscaleBits(3);
  all_off();

  registerRoutes();
}

void loop() {
  // The functions are run by the Bridge between two passes of loop(), so nothing here may take long.
  static unsigned long lastTry = 0;
  static bool registered = false;
  if (!registered && millis() - lastTry >= RETRY_MS) {
    registered = registerRoutes();
    lastTry = millis();
  }
}

// Tells the router which functions there are. Returns true when all are known, false to be called again later: the
// Linux side takes longer to start than the microcontroller. What is registered already is not registered twice,
// since the router would refuse it.
bool registerRoutes() {
  static bool ready = false, led = false, leds = false, off = false, state = false;
  ready = ready || Bridge.begin();
  if (!ready) {
    return false;
  }
  // provide_safe, not provide: these touch pins and matrix, which is only safe between two passes of loop().
  led = led || Bridge.provide_safe("set_builtin_led", set_builtin_led);
  leds = leds || Bridge.provide_safe("set_led_matrix", set_led_matrix);
  off = off || Bridge.provide_safe("all_off", all_off);
  state = state || Bridge.provide_safe("get_board_state", get_board_state);
  return led && leds && off && state;
}

bool set_builtin_led(bool lit) {
  digitalWrite(LED_BUILTIN, lit ? LED_LIT : LED_DARK);
  ledIsLit = lit;
  return ledIsLit;
}

bool set_led_matrix(String name) {
  for (const Pattern &pattern : PATTERNS) {
    if (name == pattern.name) {
      show(pattern);
      return true;
    }
  }
  return false;
}

bool all_off() {
  set_builtin_led(false);
  set_led_matrix("off");
  return true;
}

String get_board_state() {
  String state;
  state.reserve(1 + ROWS * COLUMNS);
  state += ledIsLit ? '1' : '0';
  for (uint8_t pixel : picture) {
    state += (char)('0' + pixel);
  }
  return state;
}

void show(const Pattern &pattern) {
  uint8_t frame[ROWS * COLUMNS];
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      const uint8_t level = brightness(pattern.rows[row][column]);
      picture[row * COLUMNS + column] = level;
      frame[mounted(row, column)] = level;
    }
  }
  matrix.draw(frame);
}

uint8_t brightness(char pixel) {
  if (pixel == '.') {
    return 0;
  }
  if (pixel == '#') {
    return BRIGHT;
  }
  return pixel - '0';
}

// Where in the matrix the pixel is that a person sees at this row and column.
int mounted(int row, int column) {
  if (UPSIDE_DOWN) {
    row = ROWS - 1 - row;
  }
  if (BACK_TO_FRONT) {
    column = COLUMNS - 1 - column;
  }
  return row * COLUMNS + column;
}
