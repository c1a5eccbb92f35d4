import { has, type Requirement } from '../../../../model/requirements.ts'
import type { NodeFilter } from './topologyGroup.ts'

/** A place for pods as rules about neighbours see it. */
export type TopologyHost = {
  /** Its domain among host names. */
  readonly name: string
  /** Value of a label, once it is decided. */
  domainOf(key: string): string | undefined
  /** Values the label may still take; one value when it is decided, none when the machine will not have the label. */
  domainsOf(key: string): readonly string[]
  /** Whatever it becomes, it passes. */
  passes(filter: NodeFilter): boolean
  /** Called with the change of its number of pods, where daemons come with the first one that rules of pods ask about. */
  readonly countDaemons?: ((pods: number) => void) | undefined
}

/** Whether a rule with this filter counts what is on the host. */
export function isLookedAt(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  return filter === undefined || host.passes(filter)
}

/** Whether some machine that the place may become passes. */
export function mayPass(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  if (filter === undefined || host.passes(filter)) return true
  if (filter.required === undefined) return false
  const mayMeet = ([key, wish]: readonly [string, Requirement]): boolean => host.domainsOf(key).some((value) => has(wish, value))
  return filter.required.some((each) => [...each].every(mayMeet)) && host.passes({ ...filter, required: undefined })
}
