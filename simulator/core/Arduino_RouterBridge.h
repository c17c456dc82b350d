// The Bridge to the Linux side, and the Monitor, which writes to the app's log.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "Arduino.h"
#include "MsgPack.h"

namespace host {

// What comes of a call: the bytes of a packed result, or an error.
struct Answer {
  int code = 0;
  String message;
  std::string result;
};

// Takes the packed parameters, returns the packed answer.
using Handler = std::function<Answer(msgpack::Unpacker &)>;

Answer request(const String &method, const msgpack::Packer &params);
void notification(const String &method, const msgpack::Packer &params);
bool provide(const String &method, Handler handler, bool inLoop);

template <typename... Args>
msgpack::Packer packed(const Args &...args) {
  msgpack::Packer packer;
  packer.array(sizeof...(Args));
  (packer.pack(args), ...);
  return packer;
}

Answer checkCount(msgpack::Unpacker &params, size_t expected);
Answer wrongType(size_t position);

template <size_t I = 0, typename... Args>
bool readAll(msgpack::Unpacker &params, std::tuple<Args...> &values, size_t &position) {
  if constexpr (I < sizeof...(Args)) {
    position = I;
    return params.read(std::get<I>(values)) && readAll<I + 1>(params, values, position);
  }
  return true;
}

template <typename Result, typename... Args>
Handler wrap(std::function<Result(Args...)> function) {
  return [function](msgpack::Unpacker &params) {
    Answer answer = checkCount(params, sizeof...(Args));
    if (answer.code != 0) {
      return answer;
    }
    std::tuple<std::decay_t<Args>...> values;
    size_t position = 0;
    if (!readAll(params, values, position)) {
      return wrongType(position);
    }
    msgpack::Packer result;
    if constexpr (std::is_void_v<Result>) {
      std::apply(function, values);
      result.nil();
    } else {
      result.pack(std::apply(function, values));
    }
    answer.result = result.bytes();
    return answer;
  };
}

}  // namespace host

// A call that is on its way when it is made; result() waits for what comes of it.
class RpcCall {
 public:
  explicit RpcCall(host::Answer answer) : answer_(std::move(answer)) {}

  template <typename T>
  bool result(T &value) {
    msgpack::Unpacker unpacker(answer_.result);
    return !isError() && unpacker.read(value);
  }
  bool result() { return !isError(); }
  operator bool() { return result(); }

  bool isError() { return answer_.code != 0; }
  int getErrorCode() { return answer_.code; }
  String getErrorMessage() { return answer_.message; }

 private:
  host::Answer answer_;
};

class BridgeClass {
 public:
  // Returns whether the router is there; waits for it for a second, where the real one may wait for ever.
  bool begin(unsigned long baud = 115200);
  bool is_started();
  operator bool() { return is_started(); }

  // The function runs on a background thread, where pins and matrix are not to be touched.
  template <typename F>
  bool provide(const String &name, F &&function) {
    return host::provide(name, host::wrap(std::function(std::forward<F>(function))), false);
  }

  // The function runs between two passes of loop().
  template <typename F>
  bool provide_safe(const String &name, F &&function) {
    return host::provide(name, host::wrap(std::function(std::forward<F>(function))), true);
  }

  template <typename... Args>
  RpcCall call(const String &method, Args &&...args) {
    return RpcCall(host::request(method, host::packed(args...)));
  }

  template <typename... Args>
  void notify(const String &method, Args &&...args) {
    host::notification(method, host::packed(args...));
  }
};

class BridgeMonitor {
 public:
  bool begin(unsigned long baud = 0, uint16_t config = 0);
  size_t write(const uint8_t *bytes, size_t size);

  template <typename T>
  size_t print(const T &value) { return print(String(value)); }
  size_t print(const String &text) { return write(reinterpret_cast<const uint8_t *>(text.c_str()), text.length()); }
  template <typename T>
  size_t println(const T &value) { return print(String(value) + "\r\n"); }
  size_t println() { return print(String("\r\n")); }
};

extern BridgeClass Bridge;
extern BridgeMonitor Monitor;
