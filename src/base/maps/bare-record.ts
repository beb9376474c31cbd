// A record whose names others choose.

/** What it inherits from has nothing: `__proto__` is a name like any other. */
class BareRecord {}
Object.setPrototypeOf(BareRecord.prototype, null);
Reflect.deleteProperty(BareRecord.prototype, 'constructor');

/** V8 takes one of `Object.create(null)` for a dictionary, in which the few headers of a message are found and listed slowly. */
export const bareRecord = <V>(): Record<string, V> => new BareRecord() as Record<string, V>;
