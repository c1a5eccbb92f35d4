import { err, ok, type Result } from '../../../base/result.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import { Fault, type Problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { isNotFound } from '../armFailure.ts'
import { azureFault } from './azureFault.ts'
import { getMachineOfClaim } from './findMachine.ts'
import type { MachineDeps } from './machineDeps.ts'

/**
 * Codes with which Azure refuses a restart for good: the machine is stopped, deallocated or marked for deletion, or a lock that allows only reads is on
 * it. Sources: PierreBeucher/cloudypad issue 69 (2024-11), and https://learn.microsoft.com/azure/azure-resource-manager/management/lock-resources: a
 * restart is a POST, which such a lock forbids.
 */
const FOR_GOOD: ReadonlySet<string> = new Set(['OperationNotAllowed', 'ScopeLocked'])

export async function restart(
  deps: MachineDeps,
  claim: NodeClaimName,
  signal: AbortSignalLike,
): Promise<Result<'restarting' | 'gone', Problem>> {
  const vm = await getMachineOfClaim(deps, claim, signal)
  if (vm === undefined) return ok('gone')
  const refused = await refusalOf(deps, vm.name ?? '', signal)
  if (refused === undefined) return ok('restarting')
  return refused === 'gone' ? ok('gone') : err(refused)
}

/** The name of no machine: it has none of the prefixes of machines. */
const NO_MACHINE = 'no-machine'

/** ARM checks rights before it looks whether a resource is there. So the restart of a machine that does not exist shows whether the right is there. */
export async function restartProblem(deps: MachineDeps, signal: AbortSignalLike): Promise<Problem | undefined> {
  try {
    const refused = await refusalOf(deps, NO_MACHINE, signal)
    return typeof refused === 'object' ? refused : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

async function refusalOf(deps: MachineDeps, name: string, signal: AbortSignalLike): Promise<Problem | 'gone' | undefined> {
  try {
    const { virtualMachines } = await deps.clients.compute()
    await virtualMachines.restart(deps.config.nodeResourceGroup, name, { abortSignal: signal }).submitted()
    return undefined
  } catch (error) {
    if (isNotFound(error)) return 'gone'
    const fault = azureFault(`restart virtual machine ${name}`, error, signal)
    if (fault instanceof Fault && isForGood(fault.problem)) return fault.problem
    throw fault
  }
}

function isForGood({ code, fields }: Problem): boolean {
  return code === 'AZURE.FORBIDDEN' || FOR_GOOD.has(String(fields?.['azureCode'])) || fields?.['status'] === 400
}
