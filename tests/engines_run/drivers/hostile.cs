// Compiles what has hostile names.
static class Hostile
{
    static void Main()
    {
        System.Console.Write(Bthtn.NaStyTreeX.Client.Tree.Length);
    }
}
