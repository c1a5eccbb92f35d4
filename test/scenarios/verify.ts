/** Compares an answer with the wanted result of a scenario. Returns the differences. */

import { canonicalJson } from '../../shared/base/json.ts'
import { ownValue } from '../../shared/base/values.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { placedPods } from '../checker/placedPods.ts'
import type { Answer } from './answer.ts'
import type { World } from './givenWorld.ts'
import { launchAll, placesOf } from './launched.ts'
import { labelKeyOf, words } from './notation.ts'
import type { Want } from './scenario.ts'
import { judgeClaim, nameOf, verifyClaims } from './verifyClaims.ts'

export function verify(world: World, decision: Decision, want: Want): readonly string[] {
  const launched = launchAll(world.snapshot, decision)
  const places = placesOf(world.snapshot, decision, launched)
  const settled = new Set<string>(
    world.snapshot.objects.pod.filter((pod) => pod.nodeName !== undefined && !isMoving(world, pod)).map((pod) => pod.key),
  )
  const meant = (name: string): readonly string[] =>
    (world.groups.get(name) ?? [name.includes('/') ? name : `default/${name}`]).filter((key) => !settled.has(key))
  const answer: Answer = { world, decision, launched, places, meant }
  return [
    ...unplaced(answer, want),
    ...verifyClaims(answer, want.claims),
    ...launched.flatMap((each) => (want.every === undefined ? [] : judgeClaim(answer, each, want.every))),
    ...machines(answer, want),
    ...domains(answer, want),
    ...prices(answer, want),
    ...texts(answer, want),
  ]
}

function unplaced({ decision, meant }: Answer, { unplaced: wanted = {}, someUnplaced }: Want): readonly string[] {
  const codes = new Map(decision.reasons.filter((each) => each.subject.kind === 'pod').map((each) => [each.subject.name, each.code]))
  const problems: string[] = []
  for (const [name, each] of Object.entries(wanted)) {
    const [code, count] = typeof each === 'string' ? [each, meant(name).length] : each
    const own = meant(name).filter((key) => codes.get(key) !== undefined)
    const others = own.filter((key) => codes.get(key) !== code).map((key) => `${nameOf(key)} ${codes.get(key)}`)
    if (own.length !== count) problems.push(`${count} of ${name} unplaced, was ${own.length}`)
    if (others.length > 0) problems.push(`${name} unplaced for ${code}, was ${others.join(' ')}`)
    for (const key of own) codes.delete(key)
  }
  const left = [...codes].map(([key, code]) => `${nameOf(key)} ${code}`)
  return left.length === 0 || someUnplaced === true ? problems : [...problems, `nobody else unplaced, was ${left.slice(0, 5).join(', ')}`]
}

function machines({ world, decision, places, meant }: Answer, want: Want): readonly string[] {
  const problems: string[] = []
  const placed = placedPods(decision).map(({ pod }) => pod.key as string)
  const foreign = [...places.keys()].filter((key) =>
    world.snapshot.objects.pod.some((pod) => pod.key === key && pod.nodeName === undefined),
  )
  const used = new Set([...placed, ...foreign].flatMap((key) => places.get(key)?.machine ?? []))
  if (want.nodes !== undefined && used.size !== want.nodes) problems.push(`pods on ${want.nodes} machines, was ${used.size}`)
  for (const [name, wanted] of Object.entries(want.on ?? {})) {
    const there = [...new Set([...placed, ...foreign])].filter((key) => places.get(key)?.machine === name)
    const isRight = typeof wanted === 'number' ? there.length === wanted : isSame(there, words(wanted).flatMap(meant))
    if (!isRight) problems.push(`on ${name}: ${wanted}, was ${there.map(nameOf).join(' ') || 'nobody'}`)
  }
  const lists = (want.together ?? []).map(
    (list) =>
      new Set(
        words(list)
          .flatMap(meant)
          .map((key) => places.get(key)?.machine),
      ),
  )
  const first = lists.map((list) => [...list][0])
  const apart = new Set(first).size === first.length
  if (lists.some((list) => list.size !== 1 || list.has(undefined)) || !apart)
    problems.push(`together: ${want.together?.join(' | ')}, was ${lists.map((list) => [...list].join(' ')).join(' | ')}`)
  return problems
}

function domains(answer: Answer, { skew = {}, fullest = {}, level = {} }: Want): readonly string[] {
  const problems: string[] = []
  for (const [name, wanted] of Object.entries(skew)) {
    const had = countsOf(answer, name)
    if (canonicalJson(had) !== canonicalJson([...wanted].sort((first, second) => first - second)))
      problems.push(`${name} spread ${wanted}, was ${had}`)
  }
  for (const [name, most] of Object.entries(fullest)) {
    const had = Math.max(0, ...countsOf(answer, name))
    if (had > most) problems.push(`${name} at most ${most} in one, was ${had}`)
  }
  for (const [name, most] of Object.entries(level)) {
    const had = countsOf(answer, name)
    if ((had.at(-1) ?? 0) - (had[0] ?? 0) > most) problems.push(`${name} within ${most}, was ${had}`)
  }
  return problems
}

/** The numbers of living pods by domain, in ascending order. */
function countsOf({ world, places }: Answer, name: string): readonly number[] {
  const [key = '', group = ''] = words(name)
  const counts = new Map<string, number>()
  for (const pod of world.snapshot.objects.pod) {
    const place = pod.labels['app'] === group && pod.key.startsWith('default/') ? places.get(pod.key) : undefined
    const domain = labelKeyOf(key) === LABEL.hostname ? place?.machine : ownValue(place?.labels, labelKeyOf(key))
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
  return [...counts.values()].sort((first, second) => first - second)
}

function prices({ launched }: Answer, { price, priceAtMost }: Want): readonly string[] {
  const total = launched.reduce((sum, each) => sum + (each.create.choice.price ?? Number.POSITIVE_INFINITY), 0) / 1_000_000
  if (price !== undefined && Math.abs(total - price) > 1e-5 * (launched.length + 1)) return [`price ${price}, was ${total}`]
  return priceAtMost !== undefined && total > priceAtMost + 1e-5 * (launched.length + 1)
    ? [`price at most ${priceAtMost}, was ${total}`]
    : []
}

function texts({ decision }: Answer, { says }: Want): readonly string[] {
  if (says === undefined || decision.reasons.some((each) => each.message.includes(says))) return []
  return [`somebody is told '${says}', was: ${decision.reasons.map((each) => each.message).join(' / ')}`]
}

/** Reports whether the pod's machine is ending: the pod has a place and needs another. */
function isMoving({ snapshot: { objects } }: World, pod: Pod): boolean {
  const there = objects.node.find((each) => each.name === pod.nodeName)
  const claim = objects.nodeClaim.find((each) => there?.providerId !== undefined && each.status.providerId === there.providerId)
  const isEnding = claim?.status.conditions.some((each) => each.type === 'InstanceTerminating') === true
  return there === undefined || (claim ?? there).meta.deletedAt !== undefined || isEnding
}

function isSame(had: readonly string[], wanted: readonly string[]): boolean {
  return canonicalJson([...had].sort()) === canonicalJson([...wanted].sort())
}
