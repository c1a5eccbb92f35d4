import { ownValue } from '../../../shared/base/values.ts'
import { isSpotCapable, type VmSize } from '../sizes/vmSize.ts'
import type { Arm } from './arm.ts'

/** CPUs in use by quota name: `cores`, `lowPriorityCores` and each family. */
function coresInUse(arm: Arm): Map<string, number> {
  const used = new Map<string, number>()
  const add = (name: string, cpus: number) => used.set(name, (used.get(name) ?? 0) + cpus)
  for (const vm of arm.state.vms.values()) {
    const size = arm.sizes.get(vm.size)
    if (size === undefined || (vm.state === 'Failed' && !vm.isBooted)) continue
    if (vm.priority === 'Spot') add('lowPriorityCores', size.cpus)
    else {
      add('cores', size.cpus)
      add(size.family, size.cpus)
    }
  }
  return used
}

/** Returns the usages list, counted from the machines that exist. */
export function usages(arm: Arm): object[] {
  const used = coresInUse(arm)
  const { quota } = arm.settings
  const families = [...new Set([...arm.sizes.values()].map((size) => size.family))].sort()
  const entry = (value: string, localizedValue: string, limit: number) => ({
    name: { value, localizedValue },
    unit: 'Count',
    currentValue: used.get(value) ?? 0,
    limit,
  })
  return [
    {
      name: { value: 'virtualMachines', localizedValue: 'Virtual Machines' },
      unit: 'Count',
      currentValue: arm.state.vms.size,
      limit: 25_000,
    },
    entry('cores', 'Total Regional vCPUs', quota.regionalCores),
    entry('lowPriorityCores', 'Total Regional Spot vCPUs', quota.spotCores),
    ...families.map((family) => entry(family, `${family} vCPUs`, ownValue(quota.families, family) ?? quota.familyCores)),
  ]
}

/** The message that refuses a machine for quota, or undefined while there is room. */
export function quotaProblem(arm: Arm, size: VmSize, priority: 'Regular' | 'Spot'): string | undefined {
  const used = coresInUse(arm)
  const { quota } = arm.settings
  const checks =
    priority === 'Spot'
      ? [{ name: 'lowPriorityCores', title: 'LowPriorityCores quota', limit: isSpotCapable(size) ? quota.spotCores : 0 }]
      : [
          { name: size.family, title: `${size.family} Cores quota`, limit: ownValue(quota.families, size.family) ?? quota.familyCores },
          { name: 'cores', title: 'Total Regional Cores quota', limit: quota.regionalCores },
        ]
  const full = checks.find((check) => (used.get(check.name) ?? 0) + size.cpus > check.limit)
  return full === undefined ? undefined : quotaMessage(arm, full.title, full.limit, used.get(full.name) ?? 0, size.cpus)
}

export function quotaMessage(arm: Arm, title: string, limit: number, usage: number, required: number): string {
  return (
    `Operation could not be completed as it results in exceeding approved ${title}. Additional details - Deployment Model: Resource Manager, ` +
    `Location: ${arm.settings.location}, Current Limit: ${limit}, Current Usage: ${usage}, Additional Required: ${required}, ` +
    `(Minimum) New Limit Required: ${usage + required}.`
  )
}
