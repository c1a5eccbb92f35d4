/**
 * The domains of spreads in which pools can make machines. kube-scheduler knows a domain from a node in it that passes the node filter of the spread.
 * So a domain without a node counts only if a machine that passes the filter can be bought there: one size in one offering of one pool must meet the
 * filter as a whole.
 */

import { canonicalJson } from '../../../../base/json.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import { conflicts, overlapConflicts } from '../../../../model/requirementConflict.ts'
import { has, intersectAll, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import { untolerated } from '../../../../model/taint.ts'
import { type Bits, both, isEmpty, membersOf } from '../quantities/amounts.ts'
import type { NodeFilter, TopologyGroup } from '../topology/topologyGroup.ts'
import type { Catalog } from './catalog.ts'
import { isMetByAbsence } from './narrowedTemplate.ts'
import { requirementsOfPool } from './template.ts'

/** A pool that can make machines. A topology spread counts its domains. */
export type DomainSource = {
  readonly pool: NodePool
  /** The values of a label that its machines may have. */
  valuesOf(key: string, wanted: Wanted): ReadonlySet<string>
}

/** What a machine must meet: any of these. Equal texts mean equal alternatives. */
type Wanted = { readonly alternatives: readonly Requirements[]; readonly text: string }

/** The most answers that a source remembers. What pods select changes over the months. */
const MOST_ANSWERS = 1_000

export function domainSource(pool: NodePool, catalog: Catalog): DomainSource {
  const requirements = requirementsOfPool(pool)
  const known = new Map<string, ReadonlySet<string>>()
  return {
    pool,
    valuesOf(key, { alternatives, text }) {
      const asked = `${key} ${text}`
      const same = known.get(asked)
      if (same !== undefined) return same
      const values = new Set(alternatives.flatMap((each) => [...valuesIn(requirements, catalog, key, each)]))
      if (known.size >= MOST_ANSWERS) known.clear()
      known.set(asked, values)
      return values
    },
  }
}

/** Adds to each group the domains in which the pools can make machines that the group counts. */
export function addDomainsOfPools(groups: readonly TopologyGroup[], sources: readonly DomainSource[]): void {
  const wantedBy = createWanted()
  for (const group of groups) {
    const wanted = wantedBy(group.filter)
    const reaching = group.isHost ? [] : sources.filter(({ pool }) => reaches(group, pool))
    for (const source of reaching) {
      for (const value of source.valuesOf(group.key, wanted)) {
        group.known.add(value)
        group.ofPools.add(value)
      }
    }
  }
}

/** Many groups share a filter, so its text is made once. */
function createWanted(): (filter: NodeFilter | undefined) => Wanted {
  const known = new Map<number, Wanted>()
  return (filter) => {
    if (filter?.required === undefined) return ANYTHING
    const { id, required } = filter
    const wanted = known.get(id) ?? { alternatives: required, text: canonicalJson(required.map((each) => [...each.values()])) }
    known.set(id, wanted)
    return wanted
  }
}

const ANYTHING: Wanted = { alternatives: [new Map()], text: '' }

function reaches({ filter }: TopologyGroup, pool: NodePool): boolean {
  return filter?.tolerations === undefined || untolerated(pool.template.taints, filter.tolerations).length === 0
}

/** The values of the label on machines of the pool that meet all of `wanted`. */
function valuesIn(pool: Requirements, catalog: Catalog, key: string, wanted: Requirements): ReadonlySet<string> {
  const values = new Set<string>()
  if (conflicts(pool, wanted, UNDEFINED_ALLOWED_LABELS).length > 0) return values
  const met = intersectAll(pool, new Map([...wanted].filter(([, each]) => !isMetByAbsence(each, (label) => pool.has(label)))))
  const own = met.get(key)
  const take = (listed: Requirement | undefined): void => {
    if (listed === undefined || listed.complement) return
    for (const value of listed.values) if (own === undefined || has(own, value)) values.add(value)
  }
  const types = typesMeeting(catalog, met)
  for (const kind of catalog.kinds()) {
    if (!isDefined(kind.requirements, pool) || overlapConflicts(kind.requirements, met).length > 0) continue
    const left = both(kind.types, types)
    if (isEmpty(left)) continue
    const offered = kind.requirements.get(key)
    if (offered !== undefined) take(offered)
    else for (const index of membersOf(left)) take(catalog.types[index]?.requirements.get(key) ?? own)
  }
  return values
}

function typesMeeting(catalog: Catalog, requirements: Requirements): Bits {
  let types: Bits = new Uint32Array((catalog.types.length + 31) >>> 5).fill(0xffff_ffff)
  for (const requirement of requirements.values()) types = both(types, catalog.typesFor(requirement))
  return types
}

/** Reports whether the pool admits each label of an offering: see `offeringsDefinedBy`. */
function isDefined(offered: Requirements, pool: Requirements): boolean {
  for (const key of offered.keys()) if (!UNDEFINED_ALLOWED_LABELS.has(key) && !pool.has(key)) return false
  return true
}
