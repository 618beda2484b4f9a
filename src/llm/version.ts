/** Stands in the user-agent of every request; a test keeps it equal to the package's version. */
export const VERSION = '0.1.0';
