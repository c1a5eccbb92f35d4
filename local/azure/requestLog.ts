/** One request that the emulated cloud answered. */
export type LoggedRequest = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly path: string
  /** `virtualMachines`, `networkInterfaces`, `skus`, `usages`, `operations`, ... */
  readonly type: string
  readonly name?: string
  readonly status: number
}

export interface RequestLog {
  all(): readonly LoggedRequest[]
  count(filter?: { readonly method?: string; readonly type?: string }): number
  /** Returns when the first PUT for the resource came in. */
  firstPut(type: 'virtualMachines' | 'networkInterfaces', name: string): number | undefined
  clear(): void
}

export interface WritableRequestLog extends RequestLog {
  add(entry: LoggedRequest): void
}

const KEPT = 20_000

export function createRequestLog(): WritableRequestLog {
  let entries: LoggedRequest[] = []
  let counts = new Map<string, number>()
  let firsts = new Map<string, number>()
  return {
    add(entry) {
      if (entries.length >= KEPT) entries = entries.slice(KEPT / 2)
      entries.push(entry)
      const key = `${entry.method} ${entry.type}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      const resource = `${entry.type}/${entry.name}`
      if (entry.method === 'PUT' && !firsts.has(resource)) firsts.set(resource, entry.at)
    },
    all: () => entries,
    count(filter = {}) {
      let total = 0
      for (const [key, count] of counts) {
        const [method, type] = key.split(' ')
        if ((filter.method ?? method) === method && (filter.type ?? type) === type) total += count
      }
      return total
    },
    firstPut: (type, name) => firsts.get(`${type}/${name}`),
    clear() {
      entries = []
      counts = new Map()
      firsts = new Map()
    },
  }
}
