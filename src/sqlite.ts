// The one place where SQLite is opened. In Node 24.19 and later ones, and in 26 by the headers that it was compiled with, the
// process ends when the garbage collector, run by a task of its own, takes an object of better-sqlite3 12
// (nodejs/node#65446, #65262). So no object of a database is left to it: all of them are held until their thread ends. They are
// few, since statements are kept anyway; what is done often must make none (keptObjects tells).
import Database from 'better-sqlite3';

export type Sqlite = Database.Database;

/** Everything of SQLite that this thread has made. Never read: that it is held is all. */
const kept: object[] = [];

/** How many objects of SQLite this thread holds; for tests that what is done often makes none. */
export function keptObjects(): number {
  return kept.length;
}

function keep<T>(made: T): T {
  if (typeof made === 'object' && made !== null) kept.push(made);
  return made;
}

type Method = (this: object, ...args: unknown[]) => unknown;

const watched = new WeakSet<object>();

/** What the methods of these objects return is held from here on, whoever calls them. */
function watch(of: object, names: readonly string[], then: (made: object) => void = () => {}): void {
  const prototype = Object.getPrototypeOf(of) as Record<string, Method>;
  if (watched.has(prototype)) return;
  watched.add(prototype);
  for (const name of names) {
    const method = prototype[name]!;
    prototype[name] = function (...args) {
      const made = keep(method.apply(this, args));
      if (typeof made === 'object' && made !== null) then(made);
      return made;
    };
  }
}

/** The object behind the one that better-sqlite3 shows: statements, also those of `pragma` and `transaction`, are made by it. */
function nativeOf(db: Sqlite): object | undefined {
  const members = db as unknown as Record<symbol, unknown>;
  return Object.getOwnPropertySymbols(db)
    .map((symbol) => members[symbol])
    .find((v): v is object => typeof (v as { prepare?: unknown } | undefined)?.prepare === 'function');
}

/**
 * Opens a database as `new Database` does.
 * @param source a path, ':memory:', or the bytes of a database
 * @throws better-sqlite3's own errors
 */
export function openSqlite(source: string | Buffer, options: Database.Options = {}): Sqlite {
  const db = keep(new Database(source, options));
  const native = nativeOf(db);
  if (native !== undefined)
    watch(keep(native), ['prepare', 'backup'], (made) => {
      if ('iterate' in made) watch(made, ['iterate']);
    });
  return db;
}
