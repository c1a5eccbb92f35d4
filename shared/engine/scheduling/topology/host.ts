import type { NodeFilter } from './group.ts'

/** A place for pods as rules about neighbours see it. */
export type TopologyHost = {
  /** Its domain among host names. */
  readonly name: string
  /** Value of a label, once it is decided. */
  domainOf(key: string): string | undefined
  /** Values the label may still take; one value when it is decided, none when the machine will not have the label. */
  domainsOf(key: string): readonly string[]
  passes(filter: NodeFilter): boolean
}

/** Whether a rule with this filter counts what is on the host. */
export function isLookedAt(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  return filter === undefined || host.passes(filter)
}
