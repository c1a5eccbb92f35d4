import type { ClusterDeps } from '../../../shared/flows/deps/clusterDeps.ts'
import type { Answer, Stage } from './answers.ts'
import { CALLS, type CallName } from './calls.ts'
import type { OutsidePorts } from './realPorts.ts'

export type InjectedFault = {
  readonly call: CallName
  readonly answer: Answer
  /** For a call of several requests, the request that gets the answer. Default: every request. */
  readonly stage?: Stage
  /** Only calls about this object. Default: all. */
  readonly object?: string
  /** The number of calls that get the answer. Default: all until the fault is lifted. */
  readonly times?: number
}

/** The outside calls of the flows, and the faults that give some of them a wrong answer. */
export type FaultInjector = {
  /** Injects a fault. Returns a function that lifts it. */
  fault(fault: InjectedFault): () => void
  /** Calls made so far, by name and object. */
  readonly made: ReadonlyMap<CallName, ReadonlyMap<string, number>>
  /** The number of calls that got a wrong answer so far. */
  injected(): number
  /** The dependencies of one process, with its outside calls counted and faults injected. */
  over(deps: ClusterDeps): ClusterDeps
}

/** `outsideOf` returns the real adapters with servers that give this answer. */
export function createFaultInjector(outsideOf: (answer: Answer, stage: Stage) => OutsidePorts): FaultInjector {
  const made = new Map<CallName, Map<string, number>>()
  const plans: { readonly fault: InjectedFault; left: number }[] = []
  let injected = 0

  function note(call: CallName, object: string): void {
    const counts = made.get(call) ?? new Map<string, number>()
    counts.set(object, (counts.get(object) ?? 0) + 1)
    made.set(call, counts)
  }

  function take(call: CallName, object: string): InjectedFault | undefined {
    const plan = plans.find(({ fault, left }) => left > 0 && fault.call === call && (fault.object ?? object) === object)
    if (plan === undefined) return undefined
    plan.left -= 1
    injected += 1
    return plan.fault
  }

  function overPort<Name extends keyof OutsidePorts>(name: Name, port: OutsidePorts[Name]): OutsidePorts[Name] {
    const methods = Object.keys(CALLS[name]).map((method) => {
      const call = `${name}.${method}` as CallName
      const through = (...args: readonly unknown[]): unknown => {
        const object = name === 'log' ? '' : objectOf(args[0])
        note(call, object)
        const hit = take(call, object)
        const target = hit === undefined ? port : outsideOf(hit.answer, hit.stage ?? 'every request')[name]
        return (target[method as keyof typeof target] as (...all: readonly unknown[]) => unknown)(...args)
      }
      return [method, through]
    })
    return Object.fromEntries(methods) as OutsidePorts[Name]
  }

  return {
    made,
    injected: () => injected,
    fault(fault) {
      const plan = { fault, left: fault.times ?? Number.POSITIVE_INFINITY }
      plans.push(plan)
      return () => {
        plan.left = 0
      }
    },
    over: (ports) => ({
      ...ports,
      api: overPort('api', ports.api),
      cloud: overPort('cloud', ports.cloud),
      catalog: overPort('catalog', ports.catalog),
      facts: overPort('facts', ports.facts),
      log: overPort('log', ports.log),
      ledger: overPort('ledger', ports.ledger),
      lease: overPort('lease', ports.lease),
      decisions: overPort('decisions', ports.decisions),
      offerings: overPort('offerings', ports.offerings),
    }),
  }
}

/** The name of the object of a call, from its first argument. Empty if the call is about the whole cluster. */
function objectOf(subject: unknown): string {
  if (typeof subject === 'string') return subject
  if (typeof subject !== 'object' || subject === null) return ''
  const named: { readonly [member: string]: unknown } = { ...subject }
  for (const member of ['claim', 'subject', 'name', 'key']) {
    const found = named[member]
    if (found !== undefined) return objectOf(found)
  }
  return ''
}
