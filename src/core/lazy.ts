/** Returns a function that makes a value on its first call, and keeps it. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Memoizes a function of an object, for as long as the object exists. */
export function memoize<Key extends object, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let made = known.get(key);
    if (!made) known.set(key, (made = make(key)));
    return made;
  };
}
