import { join } from 'node:path'
import { CACHE } from '../../local/goPrograms.ts'
import { findExistingHelm } from '../../local/helm/findHelm.ts'
import { type HelmOutcome, runHelm } from '../../local/helm/runHelm.ts'
import { parseManifests } from '../../local/manifests.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import type { Manifest } from './manifest.ts'
import type { Values } from './valueSets.ts'

/** The test uses Helm only if it is built: building takes minutes. `npm run helm` builds it. */
export const HELM = findExistingHelm({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE })
export const WITHOUT_HELM = HELM === undefined ? ' (skipped: no Helm; npm run helm)' : ''

export const CHART = join(repositoryRoot, 'charts/joiner')
export const CRD_CHART = join(repositoryRoot, 'charts/joiner-crd')
export const NAMESPACE = 'joiner'

/** Runs Helm. A nonzero exit code does not throw. */
export function helm(args: readonly string[], values?: Values): Promise<HelmOutcome> {
  return runHelm(HELM ?? 'helm', args, values)
}

export type RenderOptions = { readonly release?: string; readonly served?: readonly string[] }

/** The text of every object of the chart with these values, rendered without a cluster. */
export async function rendered(values: Values, { release = 'joiner', served = [] }: RenderOptions = {}): Promise<string> {
  const versions = served.flatMap((version) => ['--api-versions', version])
  const outcome = await helm(['template', release, CHART, '--namespace', NAMESPACE, ...versions], values)
  if (outcome.code !== 0) throw new Error(outcome.errors)
  return outcome.out
}

/** The objects of the chart with these values. */
export async function render(values: Values, options: RenderOptions = {}): Promise<readonly Manifest[]> {
  return parseManifests(await rendered(values, options)) as readonly Manifest[]
}
