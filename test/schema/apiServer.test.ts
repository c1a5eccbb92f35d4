import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { type DefinitionManifest, definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { EMBEDDED_SERVER, LIMIT_MS, REAL_SERVER } from './apiServers.ts'
import { type ApiServerVerdict, apiServerVerdicts } from './apiServerVerdicts.ts'
import { MANIFEST_CASES } from './cases/manifestCases.ts'
import { rulesOf, withoutIndexes } from './rulePlaces.ts'

const CONTRACT = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract')
const hasContract = existsSync(CONTRACT)

const OURS = RESOURCE_DEFINITIONS.map(definitionManifest)
const PUBLISHED: readonly DefinitionManifest[] = hasContract ? OURS.map(({ metadata }) => published(metadata.name)) : []

const SETTINGS = {
  'a real API server with the published definitions': {
    server: REAL_SERVER,
    definitions: PUBLISHED,
    lacking: [REAL_SERVER.lacking, hasContract ? undefined : '../shared/data is absent'],
  },
  'a real API server with our definitions': { server: REAL_SERVER, definitions: OURS, lacking: [REAL_SERVER.lacking] },
  'the embedded API server with our definitions': { server: EMBEDDED_SERVER, definitions: OURS, lacking: [] },
}

for (const [title, { server, definitions, lacking }] of Object.entries(SETTINGS)) {
  const reasons = lacking.filter((reason) => reason !== undefined)
  describe.skipIf(reasons.length > 0)(
    `${title}${reasons.length > 0 ? ` (skipped: ${reasons.join(', ')})` : ''}`,
    { timeout: LIMIT_MS },
    () => {
      it(`gives each of ${MANIFEST_CASES.length} manifests the recorded verdict, each rule broken at least once`, async () => {
        const verdicts = await server.with((client, signal) => apiServerVerdicts(client, definitions, { cases: MANIFEST_CASES, signal }))
        expect(verdicts.flatMap((verdict) => disagreement(verdict, definitions === OURS))).toEqual([])
        expect(unbroken(definitions, verdicts)).toEqual([])
      })
    },
  )
}

/** The difference between the server's verdict and the recorded one, in words. */
function disagreement(
  { of: { kind, apiVersion, name, at, says, isStricter, isLooser }, refusal }: ApiServerVerdict,
  isOurs: boolean,
): string[] {
  const title = `${kind} ${apiVersion}: ${name}`
  if (isLooser && !isOurs) return refusal === undefined ? [`${title}: was accepted`] : []
  if (at === undefined || (isStricter && !isOurs)) return refusal === undefined ? [] : [`${title}: was refused: ${refusal}`]
  if (refusal === undefined) return [`${title}: was accepted`]
  if (!isAbout(refusal, at)) return [`${title}: was refused elsewhere than ${at}: ${refusal}`]
  return says !== undefined && isOurs && !refusal.includes(says) ? [`${title}: was refused without '${says}': ${refusal}`] : []
}

function isAbout(refusal: string, at: string): boolean {
  // For a number too large for its format, the server names the place last, and sometimes only the end of it.
  const last = /of type integer with format int\d+ in (\S+?)[,\]]*$/.exec(refusal)?.[1]
  return refusal.includes(`${at}: `) || (last !== undefined && at.endsWith(last))
}

/** The rules that no refusal names. */
function unbroken(definitions: readonly DefinitionManifest[], verdicts: readonly ApiServerVerdict[]): string[] {
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

function published(name: string): DefinitionManifest {
  return JSON.parse(readFileSync(join(CONTRACT, `${name}.json`), 'utf8'))
}
