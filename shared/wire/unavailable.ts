import { ok, type Result } from '../base/result.ts'
import type { AskedCores, RegionOfferings } from '../model/askedCores.ts'
import type { ClusterId, NodeClaimName, NodeClassName, Uid, VmSizeName, ZoneName } from '../model/ids.ts'
import { PROBLEM_CODES, type Problem } from '../model/problem.ts'
import type { SizeReport } from '../model/sizeReport.ts'
import type { RefusedAgain, RefusedClass, UnavailableOffering, UnavailableScope } from '../model/unavailableOffering.ts'
import type { DurationMs } from '../model/units.ts'
import { as, type Codec, constant, decode, integer, list, oneOf, optional, record, text, union } from './codec.ts'
import { capacityType } from './objects/decision.ts'
import { instant } from './objects/shared.ts'
import { checkVersion, parseJson } from './version.ts'

const VERSION = 1
const OBJECT = 'unavailable offerings'

export function printUnavailable({ unavailable, asked, reports }: RegionOfferings): string {
  const isOfClass = ({ scope }: UnavailableOffering): boolean => scope.nodeClass !== undefined
  const ofClasses = unavailable.filter(isOfClass)
  const document: Document = {
    v: VERSION,
    offerings: unavailable.filter((each) => !isOfClass(each)),
    ...(ofClasses.length === 0 ? {} : { ofClasses }),
    ...(asked.length === 0 ? {} : { asked }),
    ...(reports.length === 0 ? {} : { reports }),
  }
  return JSON.stringify(codec.write(document))
}

export function parseUnavailable(text: string): Result<RegionOfferings, Problem> {
  const json = parseJson(text, OBJECT)
  if (!json.ok) return json
  const versioned = checkVersion(json.value, { object: OBJECT, known: VERSION, newer: 'STORE.NEWER_SCHEMA' })
  if (!versioned.ok) return versioned
  const parsed = decode(codec, versioned.value, { object: OBJECT })
  if (!parsed.ok) return parsed
  const { offerings, ofClasses = [], asked = [], reports = [] } = parsed.value
  return ok({ unavailable: [...offerings, ...ofClasses], asked, reports })
}

/**
 * `ofClasses`: the refusals that are about the machines of one NodeClass. `asked`: cores that a machine was asked for with. `reports`: what machines
 * say about their sizes. All three were added later. A program that does not know them forgets them.
 */
type Document = {
  readonly v: typeof VERSION
  readonly offerings: readonly UnavailableOffering[]
  readonly ofClasses?: readonly UnavailableOffering[]
  readonly asked?: readonly AskedCores[]
  readonly reports?: readonly SizeReport[]
}

const zone = optional(as<ZoneName>(text))
const nodeClass = optional(record<RefusedClass>({ name: as<NodeClassName>(text), uid: as<Uid>(text), generation: integer }))

const scope: Codec<UnavailableScope> = union<UnavailableScope, 'kind'>('kind', {
  offering: record<Extract<UnavailableScope, { kind: 'offering' }>>({
    kind: constant('offering'),
    size: as<VmSizeName>(text),
    zone,
    capacityType: optional(capacityType),
    nodeClass,
  }),
  family: record<Extract<UnavailableScope, { kind: 'family' }>>({
    kind: constant('family'),
    family: text,
    minCpus: integer,
    zone,
    capacityType: optional(capacityType),
    nodeClass,
  }),
  /** `minCpus` was added later. A program that does not know it blocks all sizes. */
  capacityType: record<Extract<UnavailableScope, { kind: 'capacityType' }>>({
    kind: constant('capacityType'),
    capacityType,
    minCpus: optional(integer),
    nodeClass,
  }),
})

/** Added later. A program that does not know it ignores it, and blocks for the time of a first refusal. */
const again = optional(record<RefusedAgain>({ times: integer, at: instant, openedAt: instant, firstMs: as<DurationMs>(integer) }))

const offerings = list(
  record<UnavailableOffering>({
    scope,
    of: optional(as<ClusterId>(text)),
    until: instant,
    code: oneOf(...PROBLEM_CODES),
    message: text,
    again,
  }),
)

const asked = list(
  record<AskedCores>({
    cluster: as<ClusterId>(text),
    claim: as<NodeClaimName>(text),
    family: text,
    capacityType,
    cpus: integer,
    at: instant,
  }),
)

const reports = list(
  record<SizeReport>({
    kind: oneOf('notBooted', 'evicted', 'booted'),
    cluster: as<ClusterId>(text),
    claim: as<NodeClaimName>(text),
    nodeClass: as<NodeClassName>(text),
    size: as<VmSizeName>(text),
    launchedAt: instant,
    at: instant,
    isProven: optional(constant(true)),
  }),
)

const codec: Codec<Document> = record<Document>({
  v: constant(VERSION),
  offerings,
  ofClasses: optional(offerings),
  asked: optional(asked),
  reports: optional(reports),
})
