import type { LoggedRequest } from '../../local/azure/requestLog.ts'
import type { Inventory } from '../e2e/inventory.ts'
import { LIMITED_MOST, type Plan } from './plan.ts'

/** What is wrong while the load rests. Undefined if nothing is. */
export function problemAtRest(inventory: Inventory, { rest }: Plan): string | undefined {
  const mayRun = { app: rest.app, limited: Math.min(rest.limited, LIMITED_MOST) }
  for (const name of ['app', 'limited'] as const) {
    const pods = inventory.pods.filter((pod) => pod.name.startsWith(`${name}-`))
    const running = pods.filter((pod) => pod.isRunning).length
    if (pods.length !== rest[name] || running !== mayRun[name])
      return `${running} of ${pods.length} pods of ${name} run; ${mayRun[name]} of ${rest[name]} should`
  }
  return unowned(
    inventory,
    inventory.pods.filter((pod) => pod.isRunning),
  )
}

/** What is left after the load is removed. Undefined if nothing is. */
export function leftover(inventory: Inventory): string | undefined {
  const left = Object.entries(inventory).filter(([, found]) => found.length > 0)
  return left.length === 0 ? undefined : `left over: ${JSON.stringify(Object.fromEntries(left))}`
}

/** Checks that each used node, node, lease, machine, interface and disk has one claim, that each claim has one of each, and that no token is left. */
function unowned(inventory: Inventory, running: Inventory['pods']): string | undefined {
  const machines = inventory.claims.map((claim) => `joiner-${claim.name}`).sort()
  const waiting = inventory.claims.filter((claim) => !claim.isReady).map((claim) => claim.name)
  if (waiting.length > 0) return `claims ${waiting} are not ready`
  const kinds = {
    'used nodes': [...new Set(running.map((pod) => pod.node))].sort(),
    nodes: inventory.nodes,
    'leases of nodes': inventory.leases,
    machines: inventory.vms,
    interfaces: inventory.nics,
    disks: inventory.disks,
  }
  for (const [what, found] of Object.entries(kinds)) {
    if (`${found}` !== `${machines}`) return `${what} are [${found}], of claims are [${machines}]`
  }
  return inventory.tokens.length === 0 ? undefined : `bootstrap tokens are left: ${inventory.tokens}`
}

/** The machines that Azure made: how often, by name. */
export function machinesMade(requests: readonly LoggedRequest[]): ReadonlyMap<string, number> {
  const made = new Map<string, number>()
  for (const { method, type, status, name } of requests)
    if (method === 'PUT' && type === 'virtualMachines' && status === 201 && name !== undefined) made.set(name, (made.get(name) ?? 0) + 1)
  return made
}

/** A name belongs to one claim and is made once. A second time would be a second machine for the same claim. Undefined if there is none. */
export function madeTwice(requests: readonly LoggedRequest[]): string | undefined {
  const twice = [...machinesMade(requests)].filter(([, times]) => times > 1).map(([name, times]) => `${name} ${times} times`)
  return twice.length === 0 ? undefined : `machines were made more than once: ${twice}`
}
