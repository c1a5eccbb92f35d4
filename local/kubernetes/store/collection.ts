import { type KubeObject, nameOf, namespaceOf } from '../object/kubeObject.ts'

/** The objects of one resource in key order, so that lists and pages have the order of etcd. */
export interface Collection {
  get(key: string): KubeObject | undefined
  put(key: string, object: KubeObject): void
  remove(key: string): void
  /** Returns the objects in key order. A namespace that is not empty limits them to it. */
  all(namespace: string): KubeObject[]
  readonly size: number
}

export function namespacedName(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

export function keyOfObject(object: KubeObject): string {
  return namespacedName(namespaceOf(object), nameOf(object))
}

export function createCollection(): Collection {
  const objects = new Map<string, KubeObject>()
  const keys: string[] = []
  return {
    get: (key) => objects.get(key),
    put: (key, object) => {
      if (!objects.has(key)) keys.splice(placeOf(keys, key), 0, key)
      objects.set(key, object)
    },
    remove: (key) => {
      if (objects.delete(key)) keys.splice(placeOf(keys, key), 1)
    },
    all: (namespace) => {
      const found: KubeObject[] = []
      const prefix = namespace === '' ? '' : `${namespace}/`
      for (let index = placeOf(keys, prefix); index < keys.length; index++) {
        const key = keys[index]
        if (key === undefined || !key.startsWith(prefix)) break
        const object = objects.get(key)
        if (object) found.push(object)
      }
      return found
    },
    get size() {
      return objects.size
    },
  }
}

/** The first index whose key is not smaller. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    const here = keys[middle]
    if (here !== undefined && here < key) low = middle + 1
    else high = middle
  }
  return low
}
