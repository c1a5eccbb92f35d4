/** The small languages inside the scenarios: requirements, taints, tolerations, amounts, selectors. */

import { defined, ownValue } from '../../shared/base/values.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { HostPort, LabelSelector, NodeSelectorTerm } from '../../shared/model/pod.ts'
import { resourceAmount } from '../../shared/model/quantity.ts'
import type { Operator, RequirementSpec } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { Taint, TaintEffect, Toleration } from '../../shared/model/taint.ts'
import { GIB } from '../builders/resources.ts'
import type { Amounts } from './scenario.ts'

/** Thrown for text that cannot be read: a mistake in the scenario, whatever the engine does. */
export class NotationError extends Error {
  override name = 'NotationError'
}

/** Short names of labels. `cpus`, `shape` and `extra` are well-known labels that the size decides. Not every size has `extra`. */
export const KEYS: { readonly [short: string]: string } = {
  zone: LABEL.zone,
  region: LABEL.region,
  type: LABEL.instanceType,
  arch: LABEL.arch,
  os: LABEL.os,
  capacity: LABEL.capacityType,
  reservation: LABEL.reservation,
  pool: LABEL.nodePool,
  hostname: LABEL.hostname,
  cpus: 'karpenter.azure.com/sku-cpu',
  shape: 'karpenter.azure.com/sku-family',
  extra: 'karpenter.azure.com/sku-gpu-name',
}

const OPERATORS: { readonly [written: string]: Operator } = {
  '=': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  absent: 'DoesNotExist',
  '>': 'Gt',
  '<': 'Lt',
  '>=': 'Gte',
  '<=': 'Lte',
}

export function labelKeyOf(short: string): string {
  return ownValue(KEYS, short) ?? short
}

/** `'zone in z1 z2, cpus > 4, team=a, size exists min 2'` */
export function requirements(text: string | undefined): readonly RequirementSpec[] {
  return listOf(text, ',').map((part) => {
    const [key = '', operator = '', ...rest] = words(part.replace(/(>=|<=|!=|=|>|<)/g, ' $1 '))
    const least = rest.indexOf('min')
    const values = least < 0 ? rest : rest.slice(0, least)
    const known = ownValue(OPERATORS, operator)
    if (known === undefined || key === '') throw new NotationError(`'${part}' is no requirement`)
    if (least >= 0 && !isWhole(rest.slice(least + 1))) throw new NotationError(`'${part}' has no number after min`)
    const isAboutTheKey = known === 'Exists' || known === 'DoesNotExist'
    if (isAboutTheKey && values.length > 0) throw new NotationError(`'${part}' has a value that means nothing`)
    // A list may be empty. Such a rule matches nothing, or everything.
    if (!isAboutTheKey && values.length === 0 && !/^(not)?in$/.test(operator)) throw new NotationError(`'${part}' has no value`)
    return defined({ key: labelKeyOf(key), operator: known, values, minValues: least < 0 ? undefined : Number(rest[least + 1]) })
  })
}

export function term(text: string): NodeSelectorTerm {
  return { matchExpressions: requirements(text), matchFields: [] }
}

/** `'team=a zone=z1'` */
export function labels(text: string | undefined): Labels {
  return Object.fromEntries(
    words(text)
      .map((pair) => {
        if (!/^[^=]+=/.test(pair)) throw new NotationError(`'${pair}' is no label; write key=value`)
        return splitAt(pair, '=')
      })
      .map(([key, value]) => [labelKeyOf(key), value]),
  )
}

/** Equalities become matchLabels, everything else matchExpressions. */
export function selector(text: string): LabelSelector {
  const parts = listOf(text, ',')
  const isPlain = (part: string): boolean => /^[^\s=!<>]+=[^\s=]*$/.test(part)
  return {
    matchLabels: labels(parts.filter(isPlain).join(' ')),
    matchExpressions: requirements(parts.filter((part) => !isPlain(part)).join(',')),
  }
}

/** `'team=a:NoSchedule other'` */
export function taints(text: string | undefined): readonly Taint[] {
  return words(text).map((part) => {
    const { key, value, effect } = keyValueEffect(part)
    return defined({ key, value, effect: effect ?? 'NoSchedule' })
  })
}

/** `'team=a:NoSchedule'`, `'team'` for any value and effect, `'*'` for everything. */
export function tolerations(text: string | undefined): readonly Toleration[] {
  return words(text).map((part): Toleration => {
    const { key, value, effect } = keyValueEffect(part)
    if (key === '*') return defined({ operator: 'Exists' as const, effect })
    return defined({ key, operator: value === undefined ? ('Exists' as const) : ('Equal' as const), value, effect })
  })
}

export function resources(amounts: Amounts | undefined): Resources {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([name, amount]) => [name, amountOf(name, amount)]))
}

/** `'80'`, `'80/UDP'`, `'80@10.0.0.1'` */
export function hostPorts(text: string | undefined): readonly HostPort[] {
  return words(text).map((part) => {
    const [rest, ip] = splitAt(part, '@')
    const [port, protocol] = splitAt(rest, '/')
    if (!/^\d+$/.test(port) || !['', 'TCP', 'UDP', 'SCTP'].includes(protocol)) throw new NotationError(`'${part}' is no host port`)
    return { ip: ip || '0.0.0.0', port: Number(port), protocol: protocol || 'TCP' }
  })
}

export function words(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '')
}

export function listOf(text: string | undefined, separator: string): readonly string[] {
  return (text ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function amountOf(name: string, amount: number | string): number {
  if (typeof amount === 'number') return name === 'cpu' ? Math.round(amount * 1000) : name === 'memory' ? Math.round(amount * GIB) : amount
  const parsed = resourceAmount(name, amount)
  if (!parsed.ok) throw new NotationError(`${parsed.error.message}`)
  return parsed.value
}

function keyValueEffect(part: string): {
  readonly key: string
  readonly value: string | undefined
  readonly effect: TaintEffect | undefined
} {
  const [rest, effect] = splitAt(part, ':')
  const [key, value] = splitAt(rest, '=')
  const known = (['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const).find((each) => each === effect)
  if (known === undefined && part.includes(':')) throw new NotationError(`'${part}' names an effect that there is not`)
  if (key === '') throw new NotationError(`'${part}' names no key`)
  return { key, value: rest.includes('=') ? value : undefined, effect: known }
}

function isWhole(written: readonly string[]): boolean {
  return written.length === 1 && /^\d+$/.test(written[0] ?? '')
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
