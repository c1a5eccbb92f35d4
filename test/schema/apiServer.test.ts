import { describe, expect, it } from 'vitest'
import { type DefinitionManifest, definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { type ApiServer, EMBEDDED_SERVER, LIMIT_MS, REAL_SERVER } from './apiServers.ts'
import { type ApiServerVerdict, apiServerVerdicts } from './apiServerVerdicts.ts'
import { MANIFEST_CASES } from './cases/manifestCases.ts'
import { arePublishedHere, type PublishedVersion, publishedDefinition, publishedNames } from './published.ts'
import { rulesOf, withoutIndexes } from './rulePlaces.ts'

const OURS = RESOURCE_DEFINITIONS.map(definitionManifest)

type Setting = {
  readonly server: ApiServer
  readonly definitions: readonly DefinitionManifest[]
  /** Undefined: the definitions are ours. */
  readonly version?: PublishedVersion
  readonly lacking: readonly (string | undefined)[]
}

const SETTINGS: { readonly [title: string]: Setting } = {
  'a real API server with the published definitions': published('1.14'),
  'a real API server with the published definitions of 1.15': published('1.15'),
  'a real API server with our definitions': { server: REAL_SERVER, definitions: OURS, lacking: [REAL_SERVER.lacking] },
  'the embedded API server with our definitions': { server: EMBEDDED_SERVER, definitions: OURS, lacking: [] },
}

function published(version: PublishedVersion): Setting {
  const names = arePublishedHere ? publishedNames(version) : []
  const definitions = names.map((name) => publishedDefinition(name, version))
  return {
    server: REAL_SERVER,
    definitions,
    version,
    lacking: [REAL_SERVER.lacking, arePublishedHere ? undefined : '../shared/data is absent'],
  }
}

for (const [title, { server, definitions, version, lacking }] of Object.entries(SETTINGS)) {
  const cases = MANIFEST_CASES.filter(({ kind }) => definitions.some(({ spec }) => spec.names.kind === kind))
  const reasons = lacking.filter((reason) => reason !== undefined)
  describe.skipIf(reasons.length > 0)(
    `${title}${reasons.length > 0 ? ` (skipped: ${reasons.join(', ')})` : ''}`,
    { timeout: LIMIT_MS },
    () => {
      it(`gives each of ${cases.length} manifests the recorded verdict, each rule broken at least once`, async () => {
        const verdicts = await server.with((client, signal) => apiServerVerdicts(client, definitions, { cases, signal }))
        expect(verdicts.flatMap((verdict) => disagreement(verdict, version))).toEqual([])
        expect(unbroken(definitions, verdicts)).toEqual([])
      })
    },
  )
}

/** The difference between the server's verdict and the recorded one, in words. */
function disagreement(
  { of: { kind, apiVersion, name, at, says, isStricter, isLooser }, refusal }: ApiServerVerdict,
  version: PublishedVersion | undefined,
): string[] {
  const title = `${kind} ${apiVersion}: ${name}`
  const isOurs = version === undefined
  if (!isOurs && (isLooser === true || isLooser === version)) return refusal === undefined ? [`${title}: was accepted`] : []
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
