// What stands for the microcontroller: its pins, its matrix, its clock, and its serial line to the router.
//
// The serial line is a socket whose number is the program's only argument. Each message on it is one MessagePack-RPC
// message after its length in 4 bytes. What the board looks like goes out as the notification $board.
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "Arduino.h"
#include "Arduino_LED_Matrix.h"
#include "Arduino_RouterBridge.h"

BridgeClass Bridge;
BridgeMonitor Monitor;

namespace {

// A request of more bytes than this cannot be handed over by the real Bridge either. It stays where it is, at the
// head of the queue, and nothing behind it is ever reached: the board is deaf until it is reset.
const size_t REQUEST_LIMIT = 256;
const size_t QUEUE_LIMIT = 1024;  // bytes; what does not fit waits in the line
const auto PASS = std::chrono::milliseconds(1);

const int MALFORMED_CALL = 253;
const int FUNCTION_NOT_FOUND = 254;
const int GENERIC_ERROR = 255;

enum Kind { REQUEST = 0, RESPONSE = 1, NOTIFICATION = 2 };

struct Message {
  std::string bytes;
  int kind = NOTIFICATION;
  uint64_t id = 0;
  String method;
};

struct Route {
  host::Handler handler;
  bool inLoop;
};

std::mutex queueMutex;  // guards everything down to `started`
std::condition_variable queueChanged;
std::deque<Message> queue;  // requests and notifications, in the order they came
size_t queuedBytes = 0;
std::map<uint64_t, std::string> responses;  // to our own requests, which do not wait in the queue
std::map<std::string, Route> routes;
uint64_t lastId = 0;
bool started = false;

std::mutex lineMutex;
int line = -1;

// The program has no purpose without the other end of the line, and its threads none without the program.
[[noreturn]] void hangUp() { _exit(0); }

void readExactly(char *to, size_t size) {
  while (size > 0) {
    const ssize_t count = read(line, to, size);
    if (count <= 0) {
      hangUp();
    }
    to += count;
    size -= static_cast<size_t>(count);
  }
}

void send(const std::string &message) {
  const size_t size = message.size();
  std::string framed;
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed += static_cast<char>((size >> shift) & 0xff);
  }
  framed += message;
  const std::lock_guard<std::mutex> lock(lineMutex);
  for (size_t sent = 0; sent < framed.size();) {
    const ssize_t count = write(line, framed.data() + sent, framed.size() - sent);
    if (count <= 0) {
      hangUp();
    }
    sent += static_cast<size_t>(count);
  }
}

// The unpacker is left at the parameters, or at the error of a response.
bool readHead(msgpack::Unpacker &unpacker, Message &message) {
  size_t size = 0;
  return unpacker.array(size) && unpacker.read(message.kind) &&
         (message.kind == NOTIFICATION || unpacker.read(message.id)) &&
         (message.kind == RESPONSE || unpacker.read(message.method));
}

void readLine() {
  const pid_t parent = getppid();
  for (;;) {
    unsigned char head[4];
    readExactly(reinterpret_cast<char *>(head), sizeof head);
    Message message;
    message.bytes.resize(static_cast<size_t>(head[0]) << 24 | head[1] << 16 | head[2] << 8 | head[3]);
    readExactly(&message.bytes[0], message.bytes.size());
    msgpack::Unpacker unpacker(message.bytes);
    if (!readHead(unpacker, message)) {
      continue;
    }
    std::unique_lock<std::mutex> lock(queueMutex);
    queueChanged.notify_all();
    if (message.kind == RESPONSE) {
      responses[message.id] = std::move(message.bytes);
      continue;
    }
    queuedBytes += message.bytes.size();
    queue.push_back(std::move(message));
    while (!queueChanged.wait_for(lock, std::chrono::seconds(1), [] { return queuedBytes <= QUEUE_LIMIT; })) {
      if (getppid() != parent) {
        hangUp();
      }
    }
  }
}

Message takeFirst() {
  Message first = std::move(queue.front());
  queue.pop_front();
  queuedBytes -= first.bytes.size();
  queueChanged.notify_all();
  return first;
}

bool isFor(bool inLoop) {
  if (queue.empty() || queue.front().bytes.size() > REQUEST_LIMIT || !started) {
    return false;
  }
  const auto route = routes.find(queue.front().method.c_str());
  return inLoop == (route != routes.end() && route->second.inLoop);
}

host::Answer failure(int code, const String &message) {
  host::Answer answer;
  answer.code = code;
  answer.message = message;
  return answer;
}

host::Answer run(const String &method, msgpack::Unpacker &params) {
  host::Handler handler;
  {
    const std::lock_guard<std::mutex> lock(queueMutex);
    const auto route = routes.find(method.c_str());
    if (route == routes.end()) {
      return failure(FUNCTION_NOT_FOUND, method);
    }
    handler = route->second.handler;
  }
  return handler(params);
}

void report();

void serve(const Message &message) {
  msgpack::Unpacker unpacker(message.bytes);
  Message head;
  readHead(unpacker, head);
  const host::Answer answer = run(head.method, unpacker);
  report();
  if (head.kind == NOTIFICATION) {
    return;
  }
  msgpack::Packer response;
  response.array(4);
  response.pack(static_cast<int>(RESPONSE));
  response.pack(head.id);
  if (answer.code == 0) {
    response.nil();
    send(response.bytes() + answer.result);
  } else {
    response.array(2);
    response.pack(answer.code);
    response.pack(answer.message);
    response.nil();
    send(response.bytes());
  }
}

void serveInBackground() {
  for (;;) {
    std::unique_lock<std::mutex> lock(queueMutex);
    queueChanged.wait(lock, [] { return isFor(false); });
    const Message message = takeFirst();
    lock.unlock();
    serve(message);
  }
}

// What the real core does after each pass of loop(): one request at most.
void serveInLoop() {
  std::unique_lock<std::mutex> lock(queueMutex);
  if (!queueChanged.wait_for(lock, PASS, [] { return isFor(true); })) {
    return;
  }
  const Message message = takeFirst();
  lock.unlock();
  serve(message);
}

// The board itself.

const size_t PIXELS = 104;
const uint8_t BITS_SHOWN = 3;

std::mutex boardMutex;
PinMode modes[256];
PinStatus levels[256];
bool matrixOn = false;
uint8_t greyBits = 8;
uint8_t pixels[PIXELS];

bool changed = false;

// Tells what the board looks like, if it has changed. What comes and goes within one step of the sketch is not told,
// as nobody could see it: the LED of a pin that is made an output and then written to, say.
void report() {
  const std::lock_guard<std::mutex> lock(boardMutex);
  if (!changed) {
    return;
  }
  changed = false;
  const bool lit = modes[LED_BUILTIN] == OUTPUT && levels[LED_BUILTIN] == LOW;
  String frame;
  for (const uint8_t pixel : pixels) {
    frame += static_cast<char>('0' + (matrixOn ? pixel : 0));
  }
  host::notification("$board", host::packed(lit, frame));
}

std::chrono::steady_clock::duration sinceStart() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::steady_clock::now() - start;
}

}  // namespace

namespace host {

Answer request(const String &method, const msgpack::Packer &params) {
  report();
  msgpack::Packer head;
  std::unique_lock<std::mutex> lock(queueMutex);
  const uint64_t id = ++lastId;
  lock.unlock();
  head.array(4);
  head.pack(static_cast<int>(REQUEST));
  head.pack(id);
  head.pack(method);
  send(head.bytes() + params.bytes());

  lock.lock();
  queueChanged.wait(lock, [id] { return responses.count(id) == 1; });
  const std::string response = std::move(responses[id]);
  responses.erase(id);
  lock.unlock();
  Message responseHead;
  msgpack::Unpacker unpacker(response);
  readHead(unpacker, responseHead);
  Answer answer;
  if (unpacker.nil()) {
    answer.result = unpacker.rest();
  } else {
    size_t size = 0;
    answer.code = GENERIC_ERROR;
    if (unpacker.array(size) && unpacker.read(answer.code)) {
      unpacker.read(answer.message);
    }
  }
  return answer;
}

void notification(const String &method, const msgpack::Packer &params) {
  msgpack::Packer head;
  head.array(3);
  head.pack(static_cast<int>(NOTIFICATION));
  head.pack(method);
  send(head.bytes() + params.bytes());
}

bool provide(const String &method, Handler handler, bool inLoop) {
  // The route is known here before the router knows it, so that a request that comes at once finds it.
  std::unique_lock<std::mutex> lock(queueMutex);
  if (!routes.emplace(method.c_str(), Route{std::move(handler), inLoop}).second) {
    return false;
  }
  lock.unlock();
  if (request("$/register", packed(method)).code == 0) {
    return true;
  }
  lock.lock();
  routes.erase(method.c_str());
  return false;
}

Answer checkCount(msgpack::Unpacker &params, size_t expected) {
  size_t count = 0;
  if (!params.array(count)) {
    return failure(MALFORMED_CALL, "Unserializable parameters array");
  }
  if (count < expected) {
    return failure(MALFORMED_CALL,
                   "Missing call parameters (WARNING: Default param resolution is not implemented)");
  }
  return count > expected ? failure(MALFORMED_CALL, "Too many parameters") : Answer();
}

Answer wrongType(size_t position) {
  return failure(MALFORMED_CALL, String("Wrong type parameter in position: ") + static_cast<unsigned long>(position));
}

}  // namespace host

bool BridgeClass::begin(unsigned long) {
  if (is_started()) {
    return true;
  }
  const bool reached = host::request("$/reset", host::packed()).code == 0;
  const std::lock_guard<std::mutex> lock(queueMutex);
  started = reached;
  queueChanged.notify_all();
  return reached;
}

bool BridgeClass::is_started() {
  const std::lock_guard<std::mutex> lock(queueMutex);
  return started;
}

bool BridgeMonitor::begin(unsigned long, uint16_t) { return Bridge.begin(); }

size_t BridgeMonitor::write(const uint8_t *bytes, size_t size) {
  const std::string text(reinterpret_cast<const char *>(bytes), size);
  Bridge.notify("mon/write", String(text.c_str()));
  return size;
}

int Arduino_LED_Matrix::begin() {
  const std::lock_guard<std::mutex> lock(boardMutex);
  matrixOn = true;
  changed = true;
  return 1;
}

void Arduino_LED_Matrix::end() {
  const std::lock_guard<std::mutex> lock(boardMutex);
  matrixOn = false;
  changed = true;
}

void Arduino_LED_Matrix::clear() {
  uint8_t dark[PIXELS] = {};
  draw(dark);
}

void Arduino_LED_Matrix::setGrayscaleBits(uint8_t bits) {
  const std::lock_guard<std::mutex> lock(boardMutex);
  greyBits = bits;
}

void Arduino_LED_Matrix::draw(uint8_t *frame) {
  const std::lock_guard<std::mutex> lock(boardMutex);
  for (size_t at = 0; at < PIXELS; at++) {
    const int level = greyBits > BITS_SHOWN ? frame[at] >> (greyBits - BITS_SHOWN) : frame[at];
    pixels[at] = static_cast<uint8_t>(level > 7 ? 7 : level);
  }
  changed = true;
}

void pinMode(pin_size_t pin, PinMode mode) {
  const std::lock_guard<std::mutex> lock(boardMutex);
  modes[pin] = mode;
  changed = changed || pin == LED_BUILTIN;
}

void digitalWrite(pin_size_t pin, PinStatus status) {
  const std::lock_guard<std::mutex> lock(boardMutex);
  levels[pin] = status;
  changed = changed || pin == LED_BUILTIN;
}

PinStatus digitalRead(pin_size_t pin) {
  const std::lock_guard<std::mutex> lock(boardMutex);
  return modes[pin] == INPUT_PULLUP ? HIGH : levels[pin];
}

int analogRead(pin_size_t) { return 0; }  // nothing is wired to the pins of a simulated board

void analogWrite(pin_size_t pin, int value) { digitalWrite(pin, value > 0 ? HIGH : LOW); }

unsigned long millis() {
  return static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::milliseconds>(sinceStart()).count());
}

unsigned long micros() {
  return static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::microseconds>(sinceStart()).count());
}

void delay(unsigned long ms) {
  report();
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

int main(int, char **arguments) {
  line = std::atoi(arguments[1]);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for whoever started us, who then hangs up
  sinceStart();
  std::thread(readLine).detach();
  std::thread(serveInBackground).detach();
  setup();
  for (;;) {
    loop();
    report();
    serveInLoop();
  }
}
