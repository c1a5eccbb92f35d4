// How a command of the pages on migration and upgrade is rehearsed. A command without a row runs in a shell.
import type { ProblemCode } from '../../../shared/model/problem.ts'
import { TEAM_NODE } from '../world/systemNodes.ts'

/** What the rehearsal does itself, where the program of the command is not there. */
export type Part = 'azd up' | 'the app'

export type Row = {
  /** The first words of the command. */
  readonly starts: string
} & (
  | { readonly plays: Part }
  | { readonly why: string }
  /** The command may end with 1 if it finds obstacles of this code and no other. */
  | { readonly mayFind: ProblemCode }
)

const CLUSTER = 'changes a managed cluster with az, and the local ARM has no such change'

/** The check before an installation. It finds the provisioner that is to be replaced, until that one is stopped. */
export const PREFLIGHT = 'npm run preflight -- --cluster RESOURCE_ID'

export const ROWS: readonly Row[] = [
  { starts: 'azd up', plays: 'azd up' },
  { starts: PREFLIGHT, mayFind: 'PREFLIGHT.OTHER_PROVISIONER' },
  { starts: 'az functionapp deployment source config-zip --resource-group', plays: 'the app' },
  { starts: 'az aks update --resource-group GROUP --name NAME --node-provisioning-mode Manual', why: CLUSTER },
  { starts: 'az aks update --resource-group GROUP --name NAME --assign-kubelet-identity RESOURCE_ID', why: CLUSTER },
  { starts: 'az aks nodepool update --resource-group', why: CLUSTER },
  { starts: 'az aks upgrade --resource-group', why: CLUSTER },
]

/** The file of the person who migrates, with a NodePool of v1beta1. */
export const OLD_FILE = 'old.yaml'

/** What the words of the pages stand for that the reader replaces. */
export const WORDS: { readonly [word: string]: (azure: { readonly clusterResourceId: string }) => string } = {
  RESOURCE_ID: ({ clusterResourceId }) => clusterResourceId,
  NODE: () => TEAM_NODE,
}

/** Programs that are on a machine of a developer. */
const PROGRAMS: ReadonlySet<string> = new Set(['helm', 'kubectl', 'npm', 'npx', 'sha256sum'])
const WORD = /(?<=^|\s)[A-Z][A-Z_]+(?=\s|$)/g

export const rowOf = (command: string): Row | undefined => ROWS.find(({ starts }) => command.startsWith(starts))

/** Returns why a command cannot be rehearsed, and has no row that says so. */
export function obstacleTo(command: string): string | undefined {
  if (rowOf(command) !== undefined) return undefined
  const [program = ''] = command.split(' ')
  if (!PROGRAMS.has(program)) return `no row of scripts/rehearse/orders/rows.ts says what becomes of ${program}`
  const unknown = [...command.matchAll(WORD)].map(([word]) => word).filter((word) => !Object.hasOwn(WORDS, word))
  return unknown.length === 0 ? undefined : `WORDS of scripts/rehearse/orders/rows.ts has no ${unknown.join(', ')}`
}

export function withWords(command: string, azure: { readonly clusterResourceId: string }): string {
  return command.replaceAll(WORD, (word) => WORDS[word]?.(azure) ?? word)
}
