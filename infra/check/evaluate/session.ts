// One evaluation: the files it reads, and what it has found so far.
import { dirname, join, normalize } from 'node:path/posix'
import { type BicepFile, type Declaration, type Place, Refusal } from '../parse/syntax.ts'
import type { FindType } from './conform.ts'
import type { DeploymentContext, Frame } from './frame.ts'
import type { Scope } from './scope.ts'
import type { Open, Read, ValueObject } from './value.ts'

/** Something wrong, with its place. */
export type Finding = Place & { readonly rule: string; readonly message: string }

/** A resource as Azure would get it. Names and ids hold only in this evaluation: the values of `uniqueString` and `guid` are stand-ins. */
export type EvaluatedResource = Place & {
  readonly type: string
  readonly apiVersion: string
  /** Includes the names of its parents, as the id does. */
  readonly name: string
  readonly id: string
  /** The scope of its deployment: a subscription, a resource group, or the resource that it extends. */
  /** Set if the name depends on other modules, which are deployed before. `name` and `id` then hold a stand-in, other for each value. */
  readonly laterName: Open | undefined
  readonly scope: Scope
  /** The rest of the declaration: location, tags, sku, properties and so on. Values may be open. */
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
  readonly deploymentContext: DeploymentContext
  /** Loads the file at a path relative to the repository. Throws `Refusal` if there is no such file or it is not Bicep. */
  readonly load: (path: string, place: Place) => BicepFile
  readonly readText: (path: string) => string | undefined
  readonly resources: EvaluatedResource[]
  readonly expected: ExpectedResource[]
  /** Reads in names, scopes and outputs. The reads in bodies are in the bodies. */
  readonly reads: Read[]
  readonly findings: Finding[]
}

/** Returns the path of a file that another file names by a relative path. */
export const besides = (file: string, path: string): string => normalize(join(dirname(file), path))

/** Runs a part. Turns a `Refusal` into a finding, so that one mistake does not hide the next. */
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
  /** Finds a declaration by its name. Types and outputs are left out. */
  readonly declared: (name: string) => Declaration | undefined
  readonly findType: FindType
  /** Ids of the resources that are deployed before everything in it. */
  readonly after: readonly string[]
  /** Name of the deployment; empty for the main file. */
  readonly deploymentName: string
  /** Runs a module. Returns its outputs. */
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
