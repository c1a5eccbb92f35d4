import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { CACHE, findBinaries, isAtHand } from '../../local/controlplane/binaries.ts'
import { startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { apiServerVerdicts, type Definition, type Verdict } from './apiServerVerdicts.ts'
import { MANIFEST_CASES } from './cases/manifestCases.ts'
import { rulesOf, withoutIndexes } from './rulePlaces.ts'

const CONTRACT = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract')
const hasContract = existsSync(CONTRACT)
const places = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
const atHand = isAtHand(places)
const LIMIT_MS = 5 * 60_000

const OURS = RESOURCE_DEFINITIONS.map(definitionManifest) as unknown as readonly Definition[]
const PUBLISHED = OURS.map(({ metadata }) => (hasContract ? read(metadata.name) : undefined)).filter((one) => one !== undefined)

const SETS = {
  'the published definitions': { definitions: PUBLISHED, isHere: hasContract, isOurs: false },
  'our definitions': { definitions: OURS, isHere: true, isOurs: true },
}

for (const [title, { definitions, isHere, isOurs }] of Object.entries(SETS)) {
  const lacking = [...(atHand ? [] : ['no control plane is built']), ...(isHere ? [] : ['../shared/data is absent'])]
  describe.skipIf(lacking.length > 0)(
    `a real API server with ${title}${lacking.length > 0 ? ` (skipped: ${lacking.join(', ')})` : ''}`,
    { timeout: LIMIT_MS },
    () => {
      it(`gives each of ${MANIFEST_CASES.length} manifests the recorded verdict, each rule broken at least once`, async () => {
        const verdicts = await withServer((client, signal) => apiServerVerdicts(client, definitions, { cases: MANIFEST_CASES, signal }))
        expect(verdicts.flatMap((verdict) => disagreement(verdict, isOurs))).toEqual([])
        expect(unbroken(definitions, verdicts)).toEqual([])
      })
    },
  )
}

/** In words, where the server's verdict is not the one written down. */
function disagreement({ of: { kind, apiVersion, name, at, says }, refusal }: Verdict, isOurs: boolean): string[] {
  const title = `${kind} ${apiVersion}: ${name}`
  if (at === undefined) return refusal === undefined ? [] : [`${title}: was refused: ${refusal}`]
  if (refusal === undefined) return [`${title}: was accepted`]
  if (!isAbout(refusal, at)) return [`${title}: was refused elsewhere than ${at}: ${refusal}`]
  return says !== undefined && isOurs && !refusal.includes(says) ? [`${title}: was refused without '${says}': ${refusal}`] : []
}

function isAbout(refusal: string, at: string): boolean {
  // Of a number too large for its format the server says the place last, or the end of it.
  const last = /of type integer with format int\d+ in (\S+?)[,\]]*$/.exec(refusal)?.[1]
  return refusal.includes(`${at}: `) || (last !== undefined && at.endsWith(last))
}

/** Rules that no refusal names. */
function unbroken(definitions: readonly Definition[], verdicts: readonly Verdict[]): string[] {
  return definitions.flatMap((definition) =>
    rulesOf(definition).flatMap(({ version, place, message }) => {
      const isBroken = verdicts.some(({ of: one, refusal }) => {
        const isMeant = one.kind === definition.spec.names.kind && one.apiVersion.endsWith(`/${version}`) && one.at !== undefined
        return isMeant && withoutIndexes(one.at) === place && refusal?.includes(message) === true
      })
      return isBroken ? [] : [`${definition.metadata.name} ${version} ${place}: ${message}`]
    }),
  )
}

async function withServer<Outcome>(use: (client: KubeClient, signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'joiner-schema-'))
  const binaries = await findBinaries({ ...places, say: (line) => console.log(line) })
  const plane = await startControlPlane({ binaries, folder: join(root, 'plane') })
  const client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
  try {
    return await use(client, AbortSignal.timeout(LIMIT_MS))
  } finally {
    client.close()
    await plane.close()
    rmSync(root, { recursive: true, force: true })
  }
}

function read(name: string): Definition {
  return JSON.parse(readFileSync(join(CONTRACT, `${name}.json`), 'utf8'))
}
