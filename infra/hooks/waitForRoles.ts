// Waits for what Azure makes known slowly: definitions of roles before they are assigned, and assignments before they are used.
import * as z from 'zod'
import { type ArmAnswer, armList, isFine, member, refusalOf } from '../../cli/armCall.ts'
import type { Access } from '../../cli/clusterAccess.ts'
import { largestOf } from '../../shared/base/lists.ts'
import { HookFailure } from './hookDeps.ts'

type Waiting = Pick<Access, 'arm' | 'clock'>
type Print = (line: string) => void

const VERSION = '2022-04-01'
/** The longest time that Azure documents (https://learn.microsoft.com/azure/role-based-access-control/troubleshooting, 2026). */
const SPREAD_MS = 600_000
const PAUSE_MS = 5_000
/** Replicas of Azure answer in turn. A definition that is found so many times in a row is known to all of them, as Terraform's provider takes it. */
const IN_A_ROW = 12

/** Waits until Azure shows all definitions, with none missing for a minute: a role that a replica does not know cannot be assigned there. */
export async function waitForDefinitions({ arm, clock }: Waiting, ids: readonly string[], print: Print): Promise<void> {
  const started = clock.now()
  let inARow = 0
  let hasSaid = false
  while (inARow < IN_A_ROW) {
    const answers = await Promise.all(ids.map((path) => arm({ method: 'GET', path, version: VERSION })))
    const missing = answers.findIndex((answer) => !isFine(answer))
    const refusal = answers[missing]
    inARow = refusal === undefined ? inARow + 1 : 0
    if (refusal === undefined && answers.every((answer) => clock.now() - madeAt(answer.body, clock.now()) >= SPREAD_MS)) return
    if (refusal !== undefined && (refusal.status !== 404 || clock.now() - started >= SPREAD_MS))
      throw new HookFailure(notShown(ids[missing] ?? '', refusal))
    if (!hasSaid) print(`wait  until all of Azure knows the roles of the app, at most ${SPREAD_MS / 60_000} minutes`)
    hasSaid = true
    if (inARow < IN_A_ROW) await clock.sleep(PAUSE_MS, AbortSignal.timeout(SPREAD_MS))
  }
}

const notShown = (id: string, refusal: ArmAnswer): string =>
  `AZURE.FAILED   Azure does not show the role definition ${id}: ${refusalOf(refusal)}; run: azd up`

/** Waits until the youngest assignment on the storage account of a resource group holds: the app and the topics use it by their identities. */
export async function waitForAssignments({ arm, clock }: Waiting, group: string, print: Print): Promise<void> {
  const listed = await armList(arm, { path: `${group}/providers/Microsoft.Authorization/roleAssignments`, version: VERSION })
  const now = clock.now()
  const times = listed.filter((each) => isOnStorage(each, group)).map((each) => madeAt(each, now))
  // Where the clock of this machine is slow, no longer than all of it.
  const left = Math.min(SPREAD_MS, SPREAD_MS - (now - largestOf(times, 0)))
  if (times.length === 0 || left <= 0) return
  print(
    `wait  until the roles on the storage account hold: ${Math.ceil(left / 60_000)} minutes, of the ${SPREAD_MS / 60_000} that Azure may take`,
  )
  const until = now + left
  while (clock.now() < until) await clock.sleep(Math.min(PAUSE_MS, until - clock.now()), AbortSignal.timeout(SPREAD_MS))
}

const properties = z.object({ createdOn: z.iso.datetime({ offset: true }) })

/** The time at which Azure made a definition or an assignment. One that does not tell its time is taken for new. */
function madeAt(body: unknown, now: number): number {
  const read = properties.safeParse(member(body, 'properties'))
  return read.success ? Date.parse(read.data.createdOn) : now
}

function isOnStorage(assignment: unknown, group: string): boolean {
  const id = member(assignment, 'id')
  return typeof id === 'string' && id.toLowerCase().startsWith(`${group}/providers/Microsoft.Storage/storageAccounts/`.toLowerCase())
}
