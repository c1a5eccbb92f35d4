import { Fault, type Problem } from '../shared/model/problem.ts'

/** Fails the invocation, so that the host retries the message and in the end parks it, where `poison` says what was wrong with it. */
export function refuseMessage(queue: string, problem: Problem): never {
  throw new Fault(`read a message of queue ${queue}`, problem)
}
