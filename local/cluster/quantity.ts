import { ownValue, setOwnValue } from '../../shared/base/values.ts'
import type { PodSpec } from './client/objects.ts'

/** Amounts by resource name: `cpu` in thousandths, every other resource in its own unit. */
export type Amounts = { readonly [resource: string]: number }

type ResourceList = { readonly [resource: string]: string }

const SUFFIXES: { readonly [suffix: string]: number } = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** Returns a Kubernetes quantity as a number, or undefined if the text is not a quantity. */
export function parseQuantity(text: string): number | undefined {
  const match = /^([+-]?[0-9]*\.?[0-9]*)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?$/.exec(text)
  if (match === null || !/[0-9]/.test(match[1] ?? '')) return undefined
  const factor = match[3] === undefined ? ownValue(SUFFIXES, match[2] ?? '') : 10 ** Number(match[3])
  return factor === undefined ? undefined : Number(match[1]) * factor
}

/** Returns amounts as the scheduler counts them, with fractions of the smallest unit rounded up. An unreadable amount counts as zero. */
export function parseAmounts(list: ResourceList | undefined): Amounts {
  const amounts: Record<string, number> = {}
  for (const [resource, text] of Object.entries(list ?? {})) {
    const value = parseQuantity(String(text)) ?? 0
    // Multiplying first would turn 0.1 into 100.00000000000001.
    setOwnValue(amounts, resource, Math.ceil(Number((resource === 'cpu' ? value * 1000 : value).toPrecision(15))))
  }
  return amounts
}

const known = new WeakMap<PodSpec, Amounts>()

/** Returns the requests of a pod: the larger of its running containers and of each moment of its start, plus overhead. */
export function podRequests(spec: PodSpec): Amounts {
  const requests = known.get(spec) ?? countRequests(spec)
  known.set(spec, requests)
  return requests
}

function countRequests(spec: PodSpec): Amounts {
  let sidecars: Amounts = {}
  let starting: Amounts = {}
  for (const container of spec.initContainers ?? []) {
    const own = parseAmounts(container.resources?.requests)
    if (container.restartPolicy === 'Always') sidecars = add(sidecars, own)
    starting = largest(starting, container.restartPolicy === 'Always' ? sidecars : add(sidecars, own))
  }
  let running = sidecars
  for (const container of spec.containers) running = add(running, parseAmounts(container.resources?.requests))
  const whole = { ...largest(running, starting), ...parseAmounts(spec.resources?.requests) }
  return { ...add(whole, parseAmounts(spec.overhead)), pods: 1 }
}

export function add(first: Amounts, second: Amounts): Amounts {
  const sum: Record<string, number> = { ...first }
  for (const [resource, amount] of Object.entries(second)) setOwnValue(sum, resource, (ownValue(sum, resource) ?? 0) + amount)
  return sum
}

function largest(first: Amounts, second: Amounts): Amounts {
  const both: Record<string, number> = { ...first }
  for (const [resource, amount] of Object.entries(second)) setOwnValue(both, resource, Math.max(ownValue(both, resource) ?? 0, amount))
  return both
}
