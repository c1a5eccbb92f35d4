import type { Shown } from '../karpenterLines/karpenterGroup.ts'

/** Fields of one place of the Kubernetes API, and what kube-scheduler and Joiner do with them. A row covers all fields below its fields. */
export type FieldRow = {
  /** The place of the fields: the kind, and the path without the marks of lists and maps. */
  readonly of: string
  /** Names of fields, separated by spaces. Empty: the place itself. */
  readonly fields: string
  /** The plugins of kube-scheduler that read the fields. Absent: none does. */
  readonly plugins?: string
  /** Tests that show the effect in Joiner, by file, with a part of each test name. */
  readonly shown?: Shown
  /** Why Joiner needs no test of the fields. With plugins: why Joiner does not model them, and what happens instead. */
  readonly why?: string
  /** Why random worlds do not have the fields. */
  readonly rare?: string
  /** The first version of Kubernetes with these fields, if the client library does not know the fields yet. */
  readonly since?: '1.37'
}
