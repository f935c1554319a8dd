//===- Store.cpp - Answers kept on disk -----------------------------------===//

#include "Mirage/Cache/Store.h"
#include "Mirage/Support/JSONDepth.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mirage::cache;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

namespace {
constexpr StringRef kMagic = "mirage-cache", kSuffix = ".entry";
constexpr StringRef kTemporary = ".tmp", kDamaged = ".damaged";
constexpr StringRef kFormatFile = "format";
/// After this a file under a temporary name is no one's any more.
constexpr int64_t kAbandoned = 3600;

std::string hashOf(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// The parts are told apart by a character that none of them has.
std::string nameOf(StringRef kind, StringRef key) {
  std::string text =
      (kind + llvm::Twine('\0') + version() + llvm::Twine('\0') + key).str();
  return hashOf(text) + kSuffix.str();
}

int64_t secondsOf(llvm::sys::TimePoint<> time) {
  return std::chrono::duration_cast<std::chrono::seconds>(
             time.time_since_epoch())
      .count();
}

Expected<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return (*buffer)->getBuffer().str();
}

/// Writes a file by way of a name that is no one else's. Nothing is left of it
/// on failure.
std::error_code writeFile(const std::string &path, StringRef text) {
  int descriptor;
  llvm::SmallString<128> temporary;
  if (std::error_code code = fs::createUniqueFile(
          path + "-%%%%%%%%%%%%" + kTemporary, descriptor, temporary))
    return code;
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  std::error_code code = os.error();
  os.clear_error(); // else its destructor ends the process
  if (!code)
    code = fs::rename(temporary, path);
  if (code)
    fs::remove(temporary);
  return code;
}

/// Fills an entry from the text of its file, or says what is wrong with it.
void readEntry(StringRef text, Entry &entry) {
  auto [line, body] = text.split('\n');
  llvm::SmallVector<StringRef, 4> words;
  line.split(words, ' ');
  size_t length = 0;
  if (words.size() != 4 || words[0] != kMagic || words[1] != "1" ||
      words[3].getAsInteger(10, length)) {
    entry.damage = "expected the first line of an entry, but got " +
                   std::to_string(line.size()) + " other bytes";
    return;
  }
  if (length != body.size()) {
    entry.damage =
        llvm::formatv("expected {0} bytes, but got {1}", length, body.size());
    return;
  }
  if (std::string hash = hashOf(body); hash != words[2]) {
    entry.damage =
        llvm::formatv("expected the hash {0}, but got {1}",
                      words[2].take_front(12), StringRef(hash).take_front(12));
    return;
  }
  // What the hash covers was written by us, or by someone who can hash.
  if (Error error = mirage::checkJSONDepth(body)) {
    entry.damage = llvm::toString(std::move(error));
    return;
  }
  Expected<json::Value> value = json::parse(body);
  json::Object *object = value ? value->getAsObject() : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  std::optional<StringRef> kind, version, key;
  if (object) {
    kind = object->getString("kind");
    version = object->getString("version");
    key = object->getString("key");
  }
  if (!kind || !version || !key || !object->get("answer")) {
    entry.damage = "expected an entry, but got other JSON";
    return;
  }
  entry.kind = kind->str();
  entry.version = version->str();
  entry.key = key->str();
  entry.answer = std::move(*object->get("answer"));
}

Error refuse(StringRef folder, const llvm::Twine &expected,
             const llvm::Twine &got) {
  return llvm::createStringError("expected " + expected + " in " + folder +
                                 ", but got " + got);
}
} // namespace

std::string mirage::cache::defaultFolder() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string named = variable("MIRAGE_CACHE_DIR"); !named.empty())
    return named;
  if (std::string base = variable("XDG_CACHE_HOME"); !base.empty())
    return base + "/mirage";
  if (std::string home = variable("HOME"); !home.empty())
    return home + "/.cache/mirage";
  return "";
}

Expected<Store> Store::open(StringRef folder, uint64_t limit) {
  if (std::error_code code = fs::create_directories(folder))
    return refuse(folder, "to make a cache", code.message());
  if (!fs::is_directory(folder))
    return refuse(folder, "a folder for the cache", "a file");
  Store store(folder, limit);
  std::string path = store.pathOf(kFormatFile);
  std::string format = llvm::formatv("{0} {1}\n", kMagic, kFormat);
  Expected<std::string> text = readFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    if (std::error_code code = writeFile(path, format))
      return refuse(folder, "to write a cache", code.message());
    return store;
  }
  // Someone else may have had no room for it.
  if (text->empty()) {
    writeFile(path, format);
    return store;
  }
  if (*text != format)
    return refuse(folder, "a cache of format " + llvm::Twine(kFormat),
                  "'" + StringRef(*text).trim().take_front(40) + "'");
  return store;
}

Store::Store(Store &&other)
    : warn(std::move(other.warn)), folder(std::move(other.folder)),
      limit(other.limit), written(other.written), told(other.told) {
  other.written = false;
}

Store::~Store() {
  if (written)
    prune(limit);
}

std::string Store::pathOf(StringRef name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

void Store::tell(const std::string &what) {
  if (!told && warn)
    warn(what);
  told = true;
}

std::optional<json::Value> Store::load(StringRef kind, StringRef key) {
  std::string path = pathOf(nameOf(kind, key));
  Expected<std::string> text = readFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return std::nullopt;
  }
  Entry entry;
  readEntry(*text, entry);
  // A whole file under another's name is as wrong as half of one.
  if (entry.damage.empty() &&
      (entry.kind != kind || entry.key != key || entry.version != version()))
    entry.damage = "expected the entry that the name says, but got another";
  if (!entry.damage.empty()) {
    setAside(kind, key, entry.damage);
    return std::nullopt;
  }
  int descriptor;
  if (!fs::openFileForReadWrite(path, descriptor, fs::CD_OpenExisting,
                                fs::OF_None)) {
    fs::setLastAccessAndModificationTime(descriptor,
                                         std::chrono::system_clock::now());
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }
  return std::move(entry.answer);
}

void Store::save(StringRef kind, StringRef key, json::Value answer) {
  std::string body =
      llvm::formatv("{0}\n",
                    json::Value(json::Object{{"kind", kind},
                                             {"version", version()},
                                             {"key", key},
                                             {"answer", std::move(answer)}}))
          .str();
  std::string text = llvm::formatv("{0} {1} {2} {3}\n", kMagic, kFormat,
                                   hashOf(body), body.size())
                         .str() +
                     body;
  if (std::error_code code = writeFile(pathOf(nameOf(kind, key)), text))
    return tell("expected to write to the cache in " + folder + ", but got " +
                code.message());
  written = true;
}

void Store::setAside(StringRef kind, StringRef key, StringRef why) {
  std::string path = pathOf(nameOf(kind, key));
  tell(path + ": " + why.str() + "; the entry is set aside");
  fs::rename(path, path + kDamaged);
}

void Store::setAside(const Entry &entry) const {
  fs::rename(pathOf(entry.name), pathOf(entry.name) + kDamaged);
}

namespace {
/// A file that the folder's name rules make ours.
struct OwnFile {
  std::string path;
  std::string name;
  uint64_t bytes = 0;
  int64_t used = 0;
  enum { Whole, Temporary, Damaged, Old } kind = Whole;
};

bool isHash(StringRef text) {
  return text.size() == 64 && llvm::all_of(text, llvm::isHexDigit);
}

std::vector<OwnFile> ownFiles(StringRef folder) {
  std::vector<OwnFile> files;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code)) {
    OwnFile file;
    file.path = it->path();
    file.name = llvm::sys::path::filename(file.path).str();
    StringRef name = file.name;
    // Ours begin with a hash (or are the file `format` on its way); the Python
    // package kept .json files before it shared this store.
    StringRef stem =
        name.take_while([](char c) { return llvm::isHexDigit(c); });
    StringRef rest = name.drop_front(stem.size());
    if (name.starts_with("format-") && name.ends_with(kTemporary))
      file.kind = OwnFile::Temporary;
    else if (!isHash(stem))
      continue;
    else if (rest == kSuffix)
      file.kind = OwnFile::Whole;
    else if (rest.starts_with(kSuffix) && name.ends_with(kTemporary))
      file.kind = OwnFile::Temporary;
    else if (rest.starts_with(kSuffix) && name.ends_with(kDamaged))
      file.kind = OwnFile::Damaged;
    else if (rest == ".json")
      file.kind = OwnFile::Old;
    else
      continue;
    fs::file_status status;
    if (fs::status(file.path, status) || !fs::is_regular_file(status))
      continue;
    file.bytes = status.getSize();
    file.used = secondsOf(status.getLastModificationTime());
    files.push_back(std::move(file));
  }
  llvm::sort(files, [](const OwnFile &a, const OwnFile &b) {
    return a.name < b.name;
  });
  return files;
}
} // namespace

std::vector<Entry> Store::list() const {
  std::vector<Entry> entries;
  for (const OwnFile &file : ownFiles(folder)) {
    if (file.kind == OwnFile::Temporary || file.kind == OwnFile::Old)
      continue;
    Entry entry;
    entry.name = file.name;
    entry.bytes = file.bytes;
    entry.used = file.used;
    if (file.kind == OwnFile::Damaged) {
      entry.damage = "set aside";
    } else if (Expected<std::string> text = readFile(file.path)) {
      readEntry(*text, entry);
    } else {
      entry.damage = llvm::toString(text.takeError());
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

PruneResult Store::prune(uint64_t most) const {
  PruneResult result;
  int64_t now = secondsOf(std::chrono::system_clock::now());
  auto remove = [&](const OwnFile &file) {
    if (fs::remove(file.path))
      return;
    ++result.removed;
    result.bytesRemoved += file.bytes;
  };
  std::vector<OwnFile> kept;
  for (OwnFile &file : ownFiles(folder)) {
    bool abandoned = std::abs(now - file.used) > kAbandoned;
    if (file.kind == OwnFile::Damaged || file.kind == OwnFile::Old ||
        (file.kind == OwnFile::Temporary && abandoned)) {
      remove(file);
      continue;
    }
    if (file.kind == OwnFile::Temporary)
      continue; // someone is writing it
    if (file.used > now)
      file.used = 0; // the clock was wrong then or is now
    result.bytesKept += file.bytes;
    kept.push_back(std::move(file));
  }
  llvm::stable_sort(
      kept, [](const OwnFile &a, const OwnFile &b) { return a.used < b.used; });
  for (const OwnFile &file : kept) {
    if (result.bytesKept <= most) {
      ++result.kept;
      continue;
    }
    result.bytesKept -= file.bytes;
    remove(file);
  }
  return result;
}
