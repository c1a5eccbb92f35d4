import { canonicalJson } from '../../../../base/canonicalJson.ts'
import type { Requirement, Requirements } from '../../../../model/requirements.ts'
import { formatTaint, type Taint, tolerates } from '../../../../model/taint.ts'
import { isMetByAbsence } from '../../model/catalog/narrowedTemplate.ts'
import type { Constraint } from '../../model/pods/constraint.ts'
import { portsClash } from '../../model/pods/hostPorts.ts'
import type { Work } from '../../model/quantities/work.ts'
import type { NodePoolOption } from '../plan.ts'
import type { Pins, Wish } from './items.ts'

/**
 * Makes wishes. Wishes that no machine of the pool options can tell apart are one object: thousands of pods may write the same requirement in
 * different ways.
 */
export function wishMaker(poolOptions: readonly NodePoolOption[], work: Work): (constraint: Constraint, pins: Pins) => Wish {
  const known = new Map<string, Map<string, Wish>>()
  const byConstraint = new Map<number, Map<string, Wish>>()
  const textOf = effectOn(poolOptions)
  const alike = (constraint: Constraint): Map<string, Wish> => {
    const text = textOf(constraint)
    const own = known.get(text) ?? new Map<string, Wish>()
    known.set(text, own)
    return own
  }
  return (constraint, pins) => {
    const own = byConstraint.get(constraint.id) ?? alike(constraint)
    byConstraint.set(constraint.id, own)
    const text = pins.size === 0 ? '' : [...pins].join(' ')
    const wish = own.get(text) ?? { constraint, pins, joined: new Map(), work }
    own.set(text, wish)
    return wish
  }
}

/** The effect of a constraint on machines of the pool options, as text. Equal for constraints that leave the same of each machine. */
function effectOn(poolOptions: readonly NodePoolOption[]): (constraint: Constraint) => string {
  const templates = poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template)
  const { valuesOf, isDefined } = valuesIn(poolOptions)
  const taints = [...new Map(templates.flatMap(({ pool }) => pool.template.taints).map((taint) => [formatTaint(taint), taint])).values()]
  const daemonPorts = [...new Set(templates.flatMap((template) => template.daemonPorts))]
  const isPossible = ({ key, complement, values }: Requirement): boolean => {
    const possible = complement || values.length === 0 ? undefined : valuesOf(key)
    return possible === undefined || values.some((value) => possible.has(value))
  }
  const known = ({ key, complement, values, ...bounds }: Requirement) => {
    const possible = valuesOf(key)
    return [key, complement, possible === undefined ? values : values.filter((value) => possible.has(value)), bounds]
  }
  return ({ tolerations, alternatives, hostPorts, apartFrom }) => {
    const isTolerated = (taint: Taint): boolean => tolerations.some((each) => tolerates(each, taint))
    const wanted = alternatives.map((each) => [...each.values()]).filter((each) => each.every(isPossible))
    const taintsLeft = taints.filter((taint) => !isTolerated(taint)).map(formatTaint)
    return canonicalJson([
      taintsLeft,
      wanted.map((each) => each.filter((one) => !isMetByAbsence(one, isDefined)).map(known)),
      hostPorts.filter((port) => portsClash(daemonPorts, [port])),
      apartFrom,
    ])
  }
}

type Values = {
  /** The values that a label can have on machines of the pool options. Undefined if some machines may lack the label or have any value. */
  valuesOf(key: string): ReadonlySet<string> | undefined
  /** True if some pool, instance type or offering defines the label. */
  isDefined(key: string): boolean
}

function valuesIn(poolOptions: readonly NodePoolOption[]): Values {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  const catalogs = new Set(poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template.catalog))
  const always = [...catalogs].map(({ types, offerings }) => [keysOfAll(types), keysOfAll(offerings)])
  const members = new Set([...catalogs].flatMap(({ types, offerings }) => [...types, ...offerings].map(({ requirements }) => requirements)))
  const all = [...members, ...poolOptions.map(({ narrowedTemplate }) => narrowedTemplate.template.requirements)]
  function valuesOf(key: string): ReadonlySet<string> | undefined {
    if (!always.every((kinds) => kinds.some((keys) => keys.has(key)))) return undefined
    const values = new Set<string>()
    for (const requirements of all) {
      const own = requirements.get(key)
      if (own?.complement === true) return undefined
      for (const value of own?.values ?? []) values.add(value)
    }
    return values
  }
  return {
    valuesOf(key) {
      if (!known.has(key)) known.set(key, valuesOf(key))
      return known.get(key)
    },
    isDefined: (key) => all.some((requirements) => requirements.has(key)),
  }
}

function keysOfAll(members: readonly { readonly requirements: Requirements }[]): ReadonlySet<string> {
  const [first, ...others] = members.map(({ requirements }) => requirements)
  return new Set([...(first?.keys() ?? [])].filter((key) => others.every((each) => each.has(key))))
}
