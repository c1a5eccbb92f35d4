import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { CACHE } from '../../local/goPrograms.ts'
import { helmAtHand } from '../../local/helm/findHelm.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { Manifest } from './manifest.ts'
import type { Values } from './valueSets.ts'

const run = promisify(execFile)

/** Building takes minutes and is not for a test to do: `npm run helm` does it. */
export const HELM = helmAtHand({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE })
export const WITHOUT_HELM = HELM === undefined ? ' (skipped: no Helm; npm run helm)' : ''

export const CHART = join(repositoryRoot, 'charts/joiner')
export const CRD_CHART = join(repositoryRoot, 'charts/joiner-crd')
export const NAMESPACE = 'joiner'

export type HelmOutcome = { readonly code: number; readonly out: string; readonly errors: string }

/** Runs Helm with a home of its own; an exit code is an outcome. */
export async function helm(args: readonly string[], values?: Values): Promise<HelmOutcome> {
  const home = mkdtempSync(join(tmpdir(), 'joiner-helm-'))
  try {
    const file = join(home, 'values.yaml')
    if (values !== undefined) writeFileSync(file, JSON.stringify(values))
    const env = { PATH: process.env['PATH'], HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
    const all = values === undefined ? args : [...args, '--values', file]
    const { stdout, stderr } = await run(HELM ?? 'helm', all, { env, maxBuffer: 64 * 1024 * 1024 })
    return { code: 0, out: stdout, errors: stderr }
  } catch (cause) {
    const { code, stdout, stderr } = cause as { readonly code?: unknown; readonly stdout?: string; readonly stderr?: string }
    return { code: typeof code === 'number' ? code : -1, out: stdout ?? '', errors: stderr ?? String(cause) }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export type RenderOptions = { readonly release?: string; readonly served?: readonly string[] }

/** Every object of the chart, as these values make it, without a cluster. */
export async function render(values: Values, { release = 'joiner', served = [] }: RenderOptions = {}): Promise<readonly Manifest[]> {
  const versions = served.flatMap((version) => ['--api-versions', version])
  const outcome = await helm(['template', release, CHART, '--namespace', NAMESPACE, ...versions], values)
  if (outcome.code !== 0) throw new Error(outcome.errors)
  return parseAllDocuments(outcome.out)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}
