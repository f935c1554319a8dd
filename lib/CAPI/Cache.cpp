//===- Cache.cpp - What callers keep beside the superoptimizer's answers --===//

#include "Internal.h"
#include "Mirage/Cache/Store.h"
#include "Mirage/Support/JSONDepth.h"

using namespace mirage;

/// The folder, or nothing where it cannot be used.
static std::optional<cache::Store> open(const char *folder) {
  llvm::Expected<cache::Store> store =
      cache::Store::open(capi::orEmpty(folder));
  if (store)
    return std::move(*store);
  llvm::consumeError(store.takeError());
  return std::nullopt;
}

char *mirageCacheLoad(const char *folder, const char *kind, const char *key,
                      size_t keyLength) {
  std::optional<cache::Store> store = open(folder);
  if (!store)
    return nullptr;
  std::optional<llvm::json::Value> answer =
      store->load(capi::orEmpty(kind), llvm::StringRef(key, keyLength));
  if (!answer)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream(text) << *answer;
  return capi::copyString(text);
}

bool mirageCacheSave(const char *folder, const char *kind, const char *key,
                     size_t keyLength, const char *answer,
                     size_t answerLength) {
  llvm::StringRef text(answer, answerLength);
  if (llvm::Error error = checkJSONDepth(text)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  std::optional<cache::Store> store = open(folder);
  if (!store)
    return false;
  bool good = true;
  store->warn = [&](const std::string &) { good = false; };
  store->save(capi::orEmpty(kind), llvm::StringRef(key, keyLength),
              std::move(*value));
  return good;
}
