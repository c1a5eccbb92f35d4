import { has, type Requirement } from '../../../../model/requirements.ts'
import type { NodeFilter } from './topologyGroup.ts'

/** A machine or bin that may take pods, as topology rules see it. */
export type TopologyHost = {
  /** Its host name, also its domain for rules about single hosts. */
  readonly name: string
  /** The value of a label. Undefined if the host has none or it is not decided. */
  domainOf(key: string): string | undefined
  /** The values that the label may still take. One value if it is decided, none if the machine will not have the label. */
  domainsOf(key: string): readonly string[]
  /** Reports whether the host passes the filter whatever machine it becomes. */
  passes(filter: NodeFilter): boolean
  /** Called with the change of its number of pods. Undefined unless rules of pods concern the daemons that come with its first pod. */
  readonly countDaemons?: ((pods: number) => void) | undefined
}

/** Reports whether a rule with this filter counts the pods on the host. */
export function isLookedAt(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  return filter === undefined || host.passes(filter)
}

/** Reports whether some machine that the host may become passes the filter. */
export function mayPass(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  if (filter === undefined || host.passes(filter)) return true
  if (filter.required === undefined) return false
  const mayMeet = ([key, wish]: readonly [string, Requirement]): boolean => host.domainsOf(key).some((value) => has(wish, value))
  return filter.required.some((each) => [...each].every(mayMeet)) && host.passes({ ...filter, required: undefined })
}
