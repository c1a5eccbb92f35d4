// One evaluation: the files it reads, and what it has found so far.
import { dirname, join, normalize } from 'node:path/posix'
import { type BicepFile, type Declaration, type Place, Refusal } from '../parse/syntax.ts'
import type { FindType } from './conform.ts'
import type { Frame, Surroundings } from './frame.ts'
import type { Scope } from './scope.ts'
import type { Read, ValueObject } from './value.ts'

/** Something wrong, with its place. A warning does not fail the check where it is excused. */
export type Finding = Place & { readonly rule: string; readonly message: string }

/** A resource as Azure would get it. Names and ids are those of this evaluation: `uniqueString` and `guid` are stand-ins. */
export type EvaluatedResource = Place & {
  readonly type: string
  readonly apiVersion: string
  /** With the names of its parents, as in the id. */
  readonly name: string
  readonly id: string
  /** What it is deployed to: a subscription, a resource group, or the resource that it extends. */
  readonly scope: Scope
  /** All else of the declaration: location, tags, sku, properties and so on. Values may be open. */
  readonly body: ValueObject
  /** Ids of resources that are made before it. */
  readonly dependsOn: readonly string[]
  /** Name of the module's deployment; empty in the main file. */
  readonly module: string
}

/** A resource that the template expects to be there. */
export type ExpectedResource = Place & {
  readonly type: string
  readonly apiVersion: string
  readonly name: string
  readonly id: string
  readonly scope: Scope
}

export type Session = {
  readonly surroundings: Surroundings
  /** The file at a path relative to the repository. Throws `Refusal` if it is not there or no Bicep. */
  readonly load: (path: string, place: Place) => BicepFile
  readonly readText: (path: string) => string | undefined
  readonly resources: EvaluatedResource[]
  readonly expected: ExpectedResource[]
  /** Reads in names, scopes and outputs; those in bodies stand in the bodies. */
  readonly reads: Read[]
  readonly findings: Finding[]
}

/** Path of a file that another names. */
export const besides = (file: string, path: string): string => normalize(join(dirname(file), path))

/** Runs a part; what it refuses becomes a finding, so that one mistake does not hide the next. */
export function attempt(session: Session, run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    report(session, error.place, 'evaluate', error.message)
  }
}

export function report(session: Session, { file, line }: Place, rule: string, message: string): void {
  const isKnown = session.findings.some(
    (each) => each.file === file && each.line === line && each.rule === rule && each.message === message,
  )
  if (!isKnown) session.findings.push({ file, line, rule, message })
}

/** One Bicep file that is deployed, with its parameters and its scope. */
export type Template = {
  readonly file: BicepFile
  readonly session: Session
  readonly frame: Frame
  /** Declarations by name, but types and outputs. */
  readonly declared: (name: string) => Declaration | undefined
  readonly findType: FindType
  /** Ids of what is made before everything in it. */
  readonly after: readonly string[]
  /** Name of the deployment; empty for the main file. */
  readonly deploymentName: string
  /** Runs a module. Its outputs. */
  readonly runInner: (given: Given, place: Place) => ValueObject
}

export type Given = {
  readonly file: BicepFile
  readonly session: Session
  readonly scope: Scope
  readonly deploymentName: string
  readonly parameters: ValueObject
  readonly after: readonly string[]
}
