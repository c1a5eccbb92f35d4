/** Values found by a list of keys, without putting the keys together. Lists of one tree have one length, or differ before the shorter ends. */
export interface KeyTree<Value> {
  /** The value of these keys, made when they are new. */
  at(keys: readonly unknown[]): Value
}

type Node<Value> = { readonly below: Map<unknown, Node<Value>>; value: Value | undefined }

export function createKeyTree<Value extends object>(make: () => Value): KeyTree<Value> {
  const root = newNode<Value>()
  return {
    at(keys) {
      let node = root
      for (const key of keys) {
        const known = node.below.get(key)
        const below = known ?? newNode<Value>()
        if (known === undefined) node.below.set(key, below)
        node = below
      }
      node.value ??= make()
      return node.value
    },
  }
}

function newNode<Value>(): Node<Value> {
  return { below: new Map(), value: undefined }
}
