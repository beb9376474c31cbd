// Commands and connections in simulated containers, as functions of embedders see them.

export interface SimulatedContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly image: string;
}

export interface SimulatedCommand extends SimulatedContainer {
  /** Empty for a client that attaches. */
  readonly command: readonly string[];
  readonly tty: boolean;
  /** What the client sends; ends when the client has no more. */
  readonly stdin: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array | string): void;
  stderr(chunk: Uint8Array | string): void;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

export interface SimulatedConnection {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** What the client sends; ends when the client has no more. */
  readonly input: AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array | string): void;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Functions that stand for programs in containers. */
export interface SimulatedPrograms {
  /** Runs a command; gives its exit code, 0 for none. */
  exec?(command: SimulatedCommand): number | undefined | Promise<number | undefined>;
  /** Serves a connection to a port of a pod, which is closed when the function is done. */
  connect?(connection: SimulatedConnection): void | Promise<void>;
  /** Lines of the log of a container; undefined for those that rules say, or made ones. */
  logs?(container: SimulatedContainer): readonly string[] | undefined;
}
