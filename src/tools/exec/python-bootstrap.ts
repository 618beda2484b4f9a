/** Descriptor on which the bootstrap reports how the run ended. */
export const REPORT_DESCRIPTOR = 3;

/** What the bootstrap reports: one JSON object, or nothing for a run that ended by itself. */
export interface PythonReport {
  /** Name of a module that was imported and is not there; uncaught. */
  readonly missing_module?: string;
  /** The run was ended by a rule of the audit hook. */
  readonly policy?: string;
}

/**
 * Runs a file as `__main__` the way `python FILE` does: `sys.argv`, `sys.path[0]`, `__file__`, exit codes, tracebacks
 * that begin at the file. Arguments: mode (`code` or `script`), the file, the folder for `sys.path[0]`, then the
 * script's own. The audit hook is guidance for a model, not a boundary: it turns the starts of other interpreters and
 * of pip into errors that say what to use.
 */
export const PYTHON_BOOTSTRAP = `
import sys
def _start():
    import os, types
    mode, path, folder = sys.argv[1:4]
    os.set_inheritable(${REPORT_DESCRIPTOR}, False)
    sys.argv = [path] + sys.argv[4:]
    sys.path.insert(0, folder)
    class PolicyError(RuntimeError):
        pass
    state = {'policy': None}
    def refuse(text):
        state['policy'] = text
        raise PolicyError(text)
    def words(value):
        if isinstance(value, (bytes, str)):
            return os.fsdecode(value).replace(';', ' ').replace('&', ' ').replace('|', ' ').split()
        try:
            return [os.fsdecode(each) for each in value]
        except TypeError:
            return []
    def base(word):
        return os.path.basename(word.strip('"\\''))
    def is_python(word):
        name = base(word)
        return name.startswith('python') and name[6:].replace('.', '').isdigit() or name in ('python', 'pypy', 'pypy3')
    def is_pip(word):
        name = base(word)
        return name in ('pip', 'pip3') or name.startswith('pip3.')
    def look(argv):
        for at, word in enumerate(argv):
            if is_pip(word) or (word == '-m' and argv[at + 1:at + 2] == ['pip']):
                refuse('pip is not available in python_exec; a missing package has to be installed by the user')
        if mode != 'code':
            return
        for word in argv[:1] + [each for each in argv[1:] if is_python(each)]:
            if is_python(word) or base(word).endswith('.py'):
                refuse('code may not start another Python; run an existing script with script_path')
    def hook(event, args):
        if event == 'subprocess.Popen':
            look(words(args[1]) if args[1] else words([args[0]]))
        elif event == 'os.system':
            look(words(args[0]))
        elif event in ('os.exec', 'os.posix_spawn'):
            look(words(args[1]))
        elif event == 'os.spawn':
            look(words(args[2]))
        elif event == 'import' and args[0] == 'pip':
            refuse('pip is not available in python_exec; a missing package has to be installed by the user')
    main = types.ModuleType('__main__')
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules['__main__'] = main
    def report(**facts):
        import json
        try:
            os.write(${REPORT_DESCRIPTOR}, json.dumps(facts).encode())
        except OSError:
            pass
    sys.addaudithook(hook)
    try:
        with open(path, 'rb') as file:
            code = compile(file.read(), path, 'exec', dont_inherit=True)
    except SyntaxError as error:
        sys.excepthook(type(error), error.with_traceback(None), None)
        sys.exit(1)
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name:
            report(missing_module=error.name)
        elif isinstance(error, PolicyError):
            report(policy=state['policy'])
        trace = error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.stderr.flush()
        sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)
_start()
`;
