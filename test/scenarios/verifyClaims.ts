import { canonicalJson } from '../../shared/base/json.ts'
import { ownValue } from '../../shared/base/values.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Answer } from './answer.ts'
import type { Launched } from './launched.ts'
import { labelKeyOf, labels, requirements, resources, taints, words } from './notation.ts'
import type { ClaimWant } from './scenario.ts'

/** Checks the number of new machines, or one machine for each wanted one, in any order. */
export function verifyClaims(answer: Answer, wanted: number | readonly ClaimWant[] | undefined): readonly string[] {
  const { launched } = answer
  if (wanted === undefined) return []
  if (typeof wanted === 'number') return launched.length === wanted ? [] : [`${wanted} new machines, was ${launched.length}`]
  const list = wanted.flatMap(({ times = 1, ...each }) => Array.from({ length: times }, (): ClaimWant => each))
  if (launched.length !== list.length) return [`${list.length} new machines, was ${launched.length}`]
  const [only] = list
  const [made] = launched
  if (list.length === 1 && only !== undefined && made !== undefined) return judgeClaim(answer, made, only)
  return isMatched(list, launched, (want, each) => judgeClaim(answer, each, want).length === 0)
    ? []
    : [`new machines ${list.map((each) => canonicalJson(each)).join(' ')}, was ${launched.map(summary).join('; ')}`]
}

export function judgeClaim({ meant }: Answer, made: Launched, want: ClaimWant): readonly string[] {
  const { draft, choice, pods } = made.create
  const own = pods.map((pod) => pod.key as string)
  const values = (key: string): string => [...(draft.spec.requirements.find((each) => each.key === key)?.values ?? [])].sort().join(' ')
  const sorted = (text: string): string => [...words(text)].sort().join(' ')
  const problems: string[] = []
  const expect = (what: string, wanted: unknown, had: unknown): void => {
    if (wanted !== undefined && canonicalJson(wanted) !== canonicalJson(had))
      problems.push(`a new machine with ${what} ${canonicalJson(wanted)}, was ${canonicalJson(had)}`)
  }
  const { pods: who, types, zone, capacity } = want
  if (typeof who === 'number') expect('pods', who, own.length)
  if (typeof who === 'string') expect('pods', words(who).flatMap(meant).map(nameOf).sort(), own.map(nameOf).sort())
  expect('pool', want.pool, draft.nodePool)
  expect('type', want.type, choice.size)
  if (types !== undefined) expect('types', sorted(types), values(LABEL.instanceType))
  if (zone !== undefined) expect('zones', sorted(zone), values(LABEL.zone))
  if (capacity !== undefined) expect('capacity types', sorted(capacity), values(LABEL.capacityType))
  const sizes = words(values(LABEL.instanceType)).length
  if (want.typesAtLeast !== undefined && sizes < want.typesAtLeast)
    problems.push(`a new machine with ${want.typesAtLeast} types at least, was ${sizes}`)
  for (const [key, value] of Object.entries(labels(want.labels))) expect(`label ${key}`, value, ownValue(made.labels, key) ?? 'none')
  for (const key of words(want.without)) expect(`label ${key}`, 'none', ownValue(made.labels, labelKeyOf(key)) ?? 'none')
  for (const key of words(want.has))
    if (ownValue(made.labels, labelKeyOf(key)) === undefined) problems.push(`a new machine with some label ${key}`)
  for (const key of words(want.unlabelled)) expect(`own label ${key}`, 'none', ownValue(draft.labels, labelKeyOf(key)) ?? 'none')
  for (const name of words(values(LABEL.instanceType)))
    for (const word of words(want.typesLike)) if (!name.includes(word)) problems.push(`a new machine with ${word} only, was ${name}`)
  expect('grace period', want.grace, draft.spec.terminationGracePeriod ?? null)
  if (want.taints !== undefined) expect('taints', taints(want.taints), draft.spec.taints)
  if (want.requests !== undefined) expect('requests', resources(want.requests), draft.spec.requests)
  for (const [key, value] of Object.entries(want.annotations ?? {}))
    expect(`annotation ${key}`, value, ownValue(draft.annotations, key) ?? 'none')
  for (const spec of requirements(want.needs)) {
    const isThere = draft.spec.requirements.some((each) => canonicalJson(each) === canonicalJson(spec))
    if (!isThere)
      expect(
        'requirement',
        spec,
        draft.spec.requirements.filter((each) => each.key === spec.key),
      )
  }
  return problems
}

export function nameOf(key: string): string {
  return key.startsWith('default/') ? key.slice('default/'.length) : key
}

/** Reports whether each want has a thing of its own that fits. */
function isMatched<Wanted, Thing>(
  wants: readonly Wanted[],
  things: readonly Thing[],
  fits: (want: Wanted, thing: Thing) => boolean,
): boolean {
  const taken = new Map<Thing, Wanted>()
  const findFor = (want: Wanted, tried: Set<Thing>): boolean =>
    things.some((thing) => {
      if (tried.has(thing) || !fits(want, thing)) return false
      tried.add(thing)
      const holder = taken.get(thing)
      if (holder !== undefined && !findFor(holder, tried)) return false
      taken.set(thing, want)
      return true
    })
  return wants.every((want) => findFor(want, new Set()))
}

function summary({ create: { draft, choice, pods } }: Launched): string {
  const zones = draft.spec.requirements.find((each) => each.key === LABEL.zone)?.values.join(' ')
  return `${choice.size} ${choice.zone} of ${zones} ${choice.capacityType} of ${draft.nodePool} for ${pods.map((pod) => nameOf(pod.key)).join(' ')}`
}
