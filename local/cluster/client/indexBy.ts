import type { Informer } from './informer.ts'
import { objectKeyOf, type Stored } from './objects.ts'

/** The objects of an informer by a group of our choice, for example pods by node. An object without a group is not in the index. */
export type Index<Item> = (group: string) => Iterable<Item>

export function indexBy<Item extends Stored>(informer: Informer<Item>, groupOf: (item: Item) => string | undefined): Index<Item> {
  const groups = new Map<string, Map<string, Item>>()
  informer.onChange((now, before) => {
    const oldGroup = before === undefined ? undefined : groupOf(before)
    const newGroup = now === undefined ? undefined : groupOf(now)
    if (before !== undefined && oldGroup !== undefined) {
      const group = groups.get(oldGroup)
      group?.delete(objectKeyOf(before))
      if (group?.size === 0) groups.delete(oldGroup)
    }
    if (now !== undefined && newGroup !== undefined) {
      const group = groups.get(newGroup) ?? new Map<string, Item>()
      group.set(objectKeyOf(now), now)
      groups.set(newGroup, group)
    }
  })
  return (group) => groups.get(group)?.values() ?? []
}
