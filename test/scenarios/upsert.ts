/** Both lists in order. Of two things with one key, the later one takes the position of the earlier. */
export function upsert<Thing>(present: readonly Thing[], added: readonly Thing[], keyOf: (thing: Thing) => string): readonly Thing[] {
  return [...new Map([...present, ...added].map((each) => [keyOf(each), each])).values()]
}
