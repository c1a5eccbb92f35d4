import { type Problem, problem } from '../../../model/problem.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import type { CloudProvider } from '../../../ports/cloudProvider.ts'
import { armFailure } from '../armFailure.ts'
import { armGet } from '../armGet.ts'
import { platformSignal } from '../platformSignal.ts'
import type { MachineDeps } from './machineDeps.ts'

/** How long an answer is used. A set that cannot be read is read again sooner, since somebody may give the right at any time. */
const BELIEVED_MS = { readable: 3_600_000, otherwise: 60_000 }
/** The timeout of the read. It is short, because a decision waits for the answer. */
const LIMIT_MS = 5_000
const VERSION = '2024-03-02'
const READ = 'Microsoft.Compute/diskEncryptionSets/read'

type Answer = { readonly at: EpochMs; readonly isReadable: boolean; readonly problem?: Problem | undefined }

/**
 * Returns a function that checks whether the app may read the disk encryption set of the cluster. Azure refuses a machine of a caller who may not read
 * the set of its disks: Karpenter's provider for Azure names this right, and checks it too (read in November 2026).
 */
export function createEncryptionCheck(deps: MachineDeps): CloudProvider['encryptionProblem'] {
  const id = deps.config.diskEncryptionSetId
  let answer: Answer | undefined
  return async (signal) => {
    if (id === undefined) return undefined
    const at = deps.clock.now()
    if (answer !== undefined && at - answer.at < (answer.isReadable ? BELIEVED_MS.readable : BELIEVED_MS.otherwise)) return answer.problem
    answer = { at, ...(await lookFor(deps, id, signal)) }
    return answer.problem
  }
}

/** If the read fails for another reason than a missing right or a missing set, the set counts as readable: a launch will show the problem. */
async function lookFor(deps: MachineDeps, id: string, signal: AbortSignalLike): Promise<Omit<Answer, 'at'>> {
  try {
    await armGet(deps.clients, id, { 'api-version': VERSION }, platformSignal(signal, LIMIT_MS))
    return { isReadable: true }
  } catch (error) {
    if (signal.aborted) throw error
    const { code, message, status } = armFailure(error)
    const refused = refusalOf(id, status)
    if (refused === undefined)
      deps.telemetry.warn('a disk encryption set could not be looked at', { set: id, azureCode: code, because: message })
    return { isReadable: false, problem: refused }
  }
}

function refusalOf(id: string, status: number | undefined): Problem | undefined {
  if (status === 404) {
    const message = `disk encryption set ${id} does not exist in Azure; create it, or name another one in diskEncryptionSetId of the cluster`
    return problem('AZURE.NOT_FOUND', message, { object: id })
  }
  if (status !== 401 && status !== 403) return undefined
  const message = `the app lacks ${READ} on disk encryption set ${id}, so Azure would refuse each machine; deploy again, which gives the app Reader on it, or assign Reader by hand`
  return problem('AZURE.FORBIDDEN', message, { object: id })
}
