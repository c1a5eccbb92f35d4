import { has } from '../../../../model/requirements.ts'
import type { NarrowedTemplate } from '../catalog/narrowedTemplate.ts'
import { hasBit, membersOf } from '../quantities/bits.ts'

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
