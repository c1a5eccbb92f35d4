/** A claim that a plan is filling. Hot code: the plan that makes a bin changes it in place. */
import { replaceAll } from '../../../../base/lists.ts'
import type { Offering } from '../../../../model/instanceType.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort } from '../../../../model/pod.ts'
import { admitsAbsence, has, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import type { Resources } from '../../../../model/resources.ts'
import { untolerated } from '../../../../model/taint.ts'
import { isWithin } from '../catalog/limits.ts'
import { type NarrowedTemplate, withSizes } from '../catalog/narrowedTemplate.ts'
import { cheapestPlace, isHeld, type Minimums, shortagesOf } from '../catalog/sizePrices.ts'
import type { InstanceTypeOption } from '../catalog/template.ts'
import { portsClash } from '../pods/admission.ts'
import type { PodClass, RelaxedPod } from '../pods/constraint.ts'
import { type Amounts, addTimes, hasBit, membersOf } from '../quantities/amounts.ts'
import type { TopologyHost } from '../topology/inverseAntiAffinity.ts'
import type { NodeFilter } from '../topology/topologyGroup.ts'

export type Bin = TopologyHost & {
  readonly id: number
  narrowedTemplate: NarrowedTemplate
  readonly total: Amounts
  /** Pods of each class, in the order they came. */
  readonly contents: BinContent[]
  podCount: number
  readonly ports: HostPort[]
  /** The shared volume claims that its machine attaches. */
  readonly mounted: string[]
  readonly minimums: Minimums
  /** No size above this may be named: it is what the pool's limits had left for the claim. Undefined if the pool has no limits. */
  readonly ceiling: Resources | undefined
  /** The amounts that it took of the pool's limits. */
  readonly charge: Resources
  /** Sizes before this place in the narrowed template's order are too small. */
  cursor: number
  countDaemons: ((pods: number) => void) | undefined
}

export type BinContent = { readonly podClass: PodClass; readonly relaxedPod: RelaxedPod; count: number }

export type BinStart = Pick<Bin, 'narrowedTemplate' | 'minimums' | 'ceiling' | 'charge'>

/** The narrowed template and the cursor that the bin gets with one more pod. */
export type Fit = { readonly narrowedTemplate: NarrowedTemplate; readonly cursor: number }

/** A class because plans open thousands of bins: the bins share their methods. */
class OpenBin implements Bin {
  readonly id: number
  narrowedTemplate: NarrowedTemplate
  readonly minimums: Minimums
  readonly ceiling: Resources | undefined
  readonly charge: Resources
  readonly total: Amounts
  readonly contents: BinContent[] = []
  podCount = 0
  readonly ports: HostPort[] = []
  readonly mounted: string[] = []
  cursor = 0
  countDaemons: ((pods: number) => void) | undefined = undefined
  #name: string | undefined

  constructor(id: number, { narrowedTemplate, minimums, ceiling, charge }: BinStart, axes: number) {
    this.id = id
    this.narrowedTemplate = narrowedTemplate
    this.minimums = minimums
    this.ceiling = ceiling
    this.charge = charge
    this.total = new Float64Array(axes)
  }

  /** Made once, since counts by host name ask for it again and again. */
  get name(): string {
    this.#name ??= `${NEW_MACHINE}${this.id}`
    return this.#name
  }

  domainOf(key: string): string | undefined {
    if (key === LABEL.hostname) return this.name
    const own = this.narrowedTemplate.requirements.get(key)
    return own !== undefined && !own.complement && own.values.length === 1 ? own.values[0] : undefined
  }

  domainsOf(key: string): readonly string[] {
    return domainsIn(this.narrowedTemplate, key)
  }

  /** Reports whether each size that the bin may become meets the wish. What the claim asks for is wider than what can be had. */
  private hasAnyway(key: string, wish: Requirement): boolean {
    const values = this.domainsOf(key)
    return values.length === 0 ? admitsAbsence(wish) : values.every((value) => has(wish, value))
  }

  passes({ required, tolerations }: NodeFilter): boolean {
    const { template } = this.narrowedTemplate
    const meets = (wanted: Requirements): boolean => [...wanted].every(([key, wish]) => this.hasAnyway(key, wish))
    if (required !== undefined && !required.some(meets)) return false
    return tolerations === undefined || untolerated(template.pool.template.taints, tolerations).length === 0
  }
}

/** Reports whether the domain, a host name, is a machine of the plan. */
export function isOfPlan(name: string): boolean {
  return name.startsWith(NEW_MACHINE)
}

/** A prefix that no host name has: it contains a blank. */
const NEW_MACHINE = 'new machine '

export function openBin(id: number, start: BinStart, axes: number): Bin {
  return new OpenBin(id, start, axes)
}

export function isBin(host: Bin | { readonly stage: number }): host is Bin {
  return 'narrowedTemplate' in host
}

/** Returns how the bin, narrowed to this template, would hold one more pod of the class. Undefined if it cannot. */
export function fitIn(bin: Bin, narrowedTemplate: NarrowedTemplate, podClass: PodClass): Fit | undefined {
  if (podClass.hostPorts.length > 0 && portsClash(bin.ports, podClass.hostPorts)) return undefined
  const amounts = amountsOn(bin.mounted, podClass)
  const cursor = cheapestPlace(bin, narrowedTemplate, amounts, narrowedTemplate === bin.narrowedTemplate ? bin.cursor : 0)
  if (cursor >= narrowedTemplate.order.length) return undefined
  const isShort =
    bin.minimums.size > 0 && shortagesOf(bin.minimums, narrowedTemplate, survivorsOf(bin, narrowedTemplate, amounts)).length > 0
  return isShort ? undefined : { narrowedTemplate, cursor }
}

/** Reports whether the bin, narrowed to this template, could hold what it holds. */
export function fitsAs(bin: Bin, narrowedTemplate: NarrowedTemplate): boolean {
  const sizes = survivorsOf(bin, narrowedTemplate)
  return sizes.length > 0 && (bin.minimums.size === 0 || shortagesOf(bin.minimums, narrowedTemplate, sizes).length === 0)
}

/** Drops the sizes that are too small for what the bin holds, so that its labels are those of machines it may become. */
export function dropTooSmall(bin: Bin): void {
  const sizes = survivorsOf(bin)
  if (sizes.length === bin.narrowedTemplate.order.length) return
  bin.narrowedTemplate = withSizes(bin.narrowedTemplate, sizes)
  bin.cursor = 0
}

export function putInto(bin: Bin, podClass: PodClass, relaxedPod: RelaxedPod, count: number, fit: Fit): void {
  bin.narrowedTemplate = fit.narrowedTemplate
  bin.cursor = fit.cursor
  addTimes(bin.total, amountsOn(bin.mounted, podClass), count)
  mount(bin.mounted, podClass)
  const last = bin.contents.at(-1)
  if (last?.relaxedPod === relaxedPod) last.count += count
  else bin.contents.push({ podClass, relaxedPod, count })
  bin.podCount += count
  for (const port of podClass.hostPorts) bin.ports.push(port)
}

/** Returns a function that takes out of the bin what comes into it after this call. */
export function markOfBin(bin: Bin): () => void {
  const { narrowedTemplate, cursor, podCount, ports, mounted } = bin
  const total = bin.total.slice()
  const contents = bin.contents.map((each) => ({ ...each }))
  const [{ length: taken }, { length: volumes }] = [ports, mounted]
  return () => {
    Object.assign(bin, { narrowedTemplate, cursor, podCount })
    bin.total.set(total)
    replaceAll(
      bin.contents,
      contents.map((each) => ({ ...each })),
    )
    ports.length = taken
    mounted.length = volumes
  }
}

/** The fields that decide which sizes serve. */
type Sized = Pick<Bin, 'narrowedTemplate' | 'total' | 'ceiling' | 'cursor'>

/** The cheapest size that serves, and its offering. Undefined if none serves. */
export function cheapestOf(bin: Sized): { readonly size: InstanceTypeOption; readonly offering: Offering } | undefined {
  const { order, best } = bin.narrowedTemplate
  bin.cursor = cheapestPlace(bin, bin.narrowedTemplate, undefined, bin.cursor)
  const size = order[bin.cursor]
  const offering = best[bin.cursor]
  return size === undefined || offering === undefined ? undefined : { size, offering }
}

/** Every size that serves, cheapest first. */
export function survivorsOf(
  bin: Bin,
  narrowedTemplate: NarrowedTemplate = bin.narrowedTemplate,
  more?: Amounts,
): readonly InstanceTypeOption[] {
  const { order } = narrowedTemplate
  const allowed = bin.ceiling === undefined ? undefined : allowedUnder(narrowedTemplate, bin.ceiling)
  const survivors: InstanceTypeOption[] = []
  for (let place = 0; place < order.length; place++) {
    const size = order[place]
    if (size !== undefined && allowed?.[size.index] !== 0 && isHeld(bin.total, more, size.free)) survivors.push(size)
  }
  return survivors
}

/** Marks with 1 the instance types that stay below a ceiling, by their index. Many bins share a ceiling. */
function allowedUnder({ template: { ceilings, sizes } }: NarrowedTemplate, ceiling: Resources): Uint8Array {
  const known = ceilings.get(ceiling)
  if (known !== undefined) return known
  const allowed = Uint8Array.from(sizes, (size) => (size !== undefined && isWithin(size.type.capacity, ceiling) ? 1 : 0))
  ceilings.set(ceiling, allowed)
  return allowed
}

/** The values that a label may take on a machine of this narrowed template, preferred first. Empty if the machine will not have the label. */
export function domainsIn(narrowedTemplate: NarrowedTemplate, key: string): readonly string[] {
  const known = narrowedTemplate.domains.get(key)
  if (known !== undefined) return known
  const own = narrowedTemplate.requirements.get(key)
  const offered = valuesOffered(narrowedTemplate, key)
  const values = offered.length > 0 ? offered : own === undefined || own.complement ? [] : own.values
  const found = own === undefined ? values : values.filter((value) => has(own, value))
  narrowedTemplate.domains.set(key, found)
  return found
}

/** The values that offerings give the label, or else the values that sizes give it, cheapest first. */
function valuesOffered({ template, types, offerings, order }: NarrowedTemplate, key: string): readonly string[] {
  const { catalog } = template
  const found = new Set<string>()
  for (const index of membersOf(offerings)) {
    const offering = catalog.offerings[index]
    if (offering === undefined || !hasBit(types, offering.type)) continue
    for (const value of offering.requirements.get(key)?.values ?? []) found.add(value)
  }
  if (found.size > 0) return [...found]
  for (const size of order) for (const value of size.requirements.get(key)?.values ?? []) found.add(value)
  return [...found]
}

/**
 * The amounts that one more pod of the class takes of a machine that has mounted these claims already. A machine attaches a volume that several pods
 * share only once.
 */
export function amountsOn(mounted: readonly string[], { amounts, shared }: PodClass): Amounts {
  if (shared.length === 0 || mounted.length === 0) return amounts
  const left = Float64Array.from(amounts)
  for (const { claim, axis } of shared) if (mounted.includes(claim)) left[axis] = (left[axis] ?? 0) - 1
  return left
}

/** Records that the machine has mounted the shared claims of the class. */
export function mount(mounted: string[], { shared }: PodClass): void {
  for (const { claim } of shared) if (!mounted.includes(claim)) mounted.push(claim)
}
