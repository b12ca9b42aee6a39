// The game of three comrades, as game.py has it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Bthtn.Comrade;

class Friend : Comrade
{
    public static readonly List<string> Lines = new List<string>();

    public override void OnRunTo(Step step, string whom)
    {
        Lines.Add("start " + step.Number + " " + step.Agent + " " + step.Task + " " + whom);
    }

    public override void OnHelpUp(Step step)
    {
        Say("start", step);
    }

    public override void OnStrike(Step step)
    {
        Say("start", step);
    }

    public override void OnIdle(Step step)
    {
        Say("start", step);
    }

    public override void OnAbort(Step step)
    {
        Say("abort", step);
    }

    static void Say(string what, Step step)
    {
        Lines.Add(what + " " + step.Number + " " + step.Agent + " " + step.Task);
    }
}

static class Game
{
    static int last = 1;

    static int Draw(int below)
    {
        last = (last * 75 + 74) % 65537;
        return last % below;
    }

    static void EndSteps(Character character)
    {
        foreach (var step in character.Open.Values.ToList())
            switch (Draw(6))
            {
                case 0: step.Progress(0.5); break;
                case 1: step.Progress("so, so"); break;
                case 2: case 3: step.Succeed(); break;
                case 4: step.Fail("no \"luck\" ✓"); break;
            }
    }

    static void Main()
    {
        var tree = Environment.GetEnvironmentVariable("TREE");
        using (var client = Client.Start(Environment.GetEnvironmentVariable("BTHTN"), "serve " + tree))
        {
            client.Warn = Friend.Lines.Add;
            client.Hello();
            foreach (var name in new[] { "Al", "Bo", "Cy" })
                client.Spawn(name, 7, new Friend());
            for (var tick = 0; tick < int.Parse(Environment.GetEnvironmentVariable("TICKS")); tick++)
            {
                if (tick % 25 == 0)
                    client.Ask(tick % 50 == 0 ? "pause" : "resume", new List<object> { "Al" });
                foreach (var character in client.Characters.Values)
                {
                    var friend = (Friend)character.Agents[0];
                    if (Draw(12) == 0) friend.FriendIsDown = Draw(2) == 0;
                    if (Draw(12) == 0) friend.Danger = Draw(4) * 30;
                    if (Draw(6) == 0) friend.Blows = Draw(4);
                    if (character.Name != "Al" || tick % 50 >= 25) EndSteps(character);
                }
                if (tick % 3 == 2)
                    client.Frame(0.25);
                else
                    client.TickAll(0.25);
                foreach (var one in client.Characters.Values)
                {
                    var due = one.Due == null ? "never" : ((int)(one.Due.Value * 1000 + 0.5)).ToString();
                    Friend.Lines.Add(string.Join(" ", new object[] { tick, one.Name, one.Tick, one.Status, one.Finished, due }));
                }
            }
        }
        File.WriteAllText(Environment.GetEnvironmentVariable("LOG"), string.Join("\n", Friend.Lines.ToArray()) + "\n");
    }
}
